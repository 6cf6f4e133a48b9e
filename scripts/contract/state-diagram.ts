import { DELETED, type Transition } from '../../proto/states/state-table.ts'

const END = '[*]'

interface States {
  initial: string
  verbs: Readonly<Record<string, Pick<Transition, 'from' | 'to'>>>
}

/** A Mermaid state diagram of a state table. Verbs that keep the state are omitted; an edge names all its verbs. */
export function stateDiagram({ initial, verbs }: States): string {
  const edges = new Map<string, string[]>([[`${END} --> ${initial}`, ['create']]])
  const left = new Set<string>()
  const entered = new Set([initial])
  for (const [name, { from, to = [] }] of Object.entries(verbs)) {
    for (const state of from) {
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
