/** A verb of a state machine; without `to` the state stays. With several, the record returns to the one it came from. */
export interface Verb {
  from: string | readonly string[]
  to?: string | readonly string[]
}

/** The state of a record that no longer exists. */
const DELETED = 'DELETED'
const END = '[*]'

/** A Mermaid state diagram of a table of verbs. Verbs that keep the state are omitted; an edge names all its verbs. */
export function stateDiagram(initial: string, verbs: Readonly<Record<string, Verb>>): string {
  const edges = new Map<string, string[]>([[`${END} --> ${initial}`, ['create']]])
  const left = new Set<string>()
  const entered = new Set([initial])
  for (const [name, { from, to = [] }] of Object.entries(verbs)) {
    for (const state of [from].flat()) {
      for (const next of [to].flat()) {
        const edge = `${state} --> ${next === DELETED ? END : next}`
        edges.set(edge, [...(edges.get(edge) ?? []), name])
        if (next === DELETED) continue
        left.add(state)
        entered.add(next)
      }
    }
  }
  const final = [...entered].filter((state) => !left.has(state))
  return [
    'stateDiagram-v2',
    ...[...edges].map(([edge, names]) => `  ${edge}: ${names.join(', ')}`),
    ...final.map((state) => `  ${state} --> ${END}`),
  ].join('\n')
}
