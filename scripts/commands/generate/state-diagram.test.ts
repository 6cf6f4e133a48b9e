import { expect, test } from 'bun:test'
import { stateDiagram } from './state-diagram.ts'

test('a table of verbs is a diagram: an edge for each move with its verbs, none for a verb that keeps the state', () => {
  const verbs = {
    patch: { from: ['DRAFT'] },
    publish: { from: ['DRAFT'], to: 'OPEN' },
    close: { from: ['OPEN'], to: 'CLOSED' },
    expire: { from: ['OPEN'], to: 'CLOSED' },
    cancel: { from: ['DRAFT', 'OPEN'], to: 'CANCELLED' },
    delete: { from: ['DRAFT'], to: 'DELETED' },
  }
  expect(stateDiagram({ initial: 'DRAFT', verbs })).toBe(`stateDiagram-v2
  [*] --> DRAFT: create
  DRAFT --> OPEN: publish
  OPEN --> CLOSED: close, expire
  DRAFT --> CANCELLED: cancel
  OPEN --> CANCELLED: cancel
  DRAFT --> [*]: delete
  CLOSED --> [*]
  CANCELLED --> [*]`)
})

test('a verb with several next states has an edge to each', () => {
  const verbs = { hold: { from: ['A', 'B'], to: 'HELD' }, resume: { from: ['HELD'], to: ['A', 'B'] } }
  expect(stateDiagram({ initial: 'A', verbs })).toContain('  HELD --> A: resume\n  HELD --> B: resume')
})
