import { instance } from '@viz-js/viz'
import { DELETED, type Transition } from '../../../proto/states/state-table.ts'

interface States {
  initial: string
  verbs: Readonly<Record<string, Pick<Transition, 'from' | 'to'>>>
}

/**
 * A move between two states, with all its verbs. Without a `from` it creates a record, without a `to` the record ends.
 */
interface Move {
  from?: string
  to?: string
  verbs: readonly string[]
}

/** The moves of a state table. Verbs that keep the state are omitted. */
function movesOf({ initial, verbs }: States): Move[] {
  const moves = new Map<string, Move>([['create', { to: initial, verbs: ['create'] }]])
  const left = new Set<string>()
  const entered = new Set([initial])
  for (const [name, { from, to = [] }] of Object.entries(verbs)) {
    for (const state of from) {
      for (const next of [to].flat()) {
        const key = `${state} ${next}`
        const end = next === DELETED ? {} : { to: next }
        moves.set(key, { from: state, ...end, verbs: [...(moves.get(key)?.verbs ?? []), name] })
        if (next === DELETED) continue
        left.add(state)
        entered.add(next)
      }
    }
  }
  const final = [...entered].filter((state) => !left.has(state))
  return [...moves.values(), ...final.map((state) => ({ from: state, verbs: [] }))]
}

const END = '[*]'

/** A Mermaid state diagram, for readers of the Markdown. */
export function stateDiagram(states: States): string {
  const lines = movesOf(states).map(({ from = END, to = END, verbs }) => {
    return `  ${from} --> ${to}${verbs.length > 0 ? `: ${verbs.join(', ')}` : ''}`
  })
  return ['stateDiagram-v2', ...lines].join('\n')
}

/** Helvetica is what the layout measures; the page shows a font of the same widths. */
const GRAPH = `rankdir=TB; bgcolor=transparent; nodesep=0.35; ranksep=0.4
  node [shape=box style=rounded fontname=Helvetica fontsize=12 height=0.35 margin="0.12,0.05"]
  edge [fontname=Helvetica fontsize=11 arrowsize=0.7]`

/** The same diagram drawn as SVG. Its colours are those of the text around it. */
export async function drawnStates(states: States, title: string): Promise<string> {
  const lines = movesOf(states).map(({ from, to, verbs }, index) => {
    const end = from === undefined ? 'start' : `end${index}`
    const dot = from && to ? '' : `${end} [shape=point width=0.12]; `
    return `${dot}${from ?? end} -> ${to ?? end} [label="${verbs.join(',\\n')}"]`
  })
  const viz = await instance()
  const svg = viz.renderString(`digraph { ${GRAPH}\n${lines.join('\n')} }`, { format: 'svg' })
  return inPage(svg, title)
}

/** Without identifiers, fonts and colours of its own: several are in one page, whose style sheet has them. */
function inPage(svg: string, title: string): string {
  const [, width, height] = /viewBox="0\.00 0\.00 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  const drawing = svg
    .slice(svg.indexOf('<g '))
    .replaceAll(/<!--[\s\S]*?-->\n?|<title>[\s\S]*?<\/title>\n?/g, '')
    .replaceAll(/<polygon fill="none"[^>]*\/>\n/g, '')
    .replaceAll(/ (id|font-family|xml:space)="[^"]*"/g, '')
    .replaceAll('"black"', '"currentColor"')
  return `<svg xmlns="http://www.w3.org/2000/svg" class="states" role="img" aria-label="${title}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n${drawing.trim()}\n`
}
