import { describe, expect, test } from 'bun:test'
import { StateTable } from '../../../proto/states/state-table.ts'
import type { Refusal } from '../errors/refusal.ts'
import { requireGuards, requireTransition } from './transitions.ts'

const DOOR = new StateTable({
  record: 'door',
  states: ['OPEN', 'SHUT', 'LOCKED'],
  initial: 'OPEN',
  verbs: {
    shut: { from: ['OPEN'], to: 'SHUT', by: ['owner'] },
    lock: { from: ['SHUT'], to: 'LOCKED', by: ['owner'], guards: ['hasKey', 'isDry', 'isWhole'] },
  },
})

const field = (name: string, message: string) => [{ field: name, message }]
const GUARDS = {
  hasKey: ({ key }: { key: boolean }) => (key ? undefined : 'The key is missing.'),
  isDry: ({ wet }: { wet: boolean }) => (wet ? field('frame', 'is wet') : []),
  isWhole: ({ broken }: { broken: boolean }) => (broken ? field('hinge', 'is broken') : []),
}
const met = { key: true, wet: false, broken: false }

const lock = (state: 'OPEN' | 'SHUT', facts: Partial<typeof met>) =>
  requireGuards(DOOR, 'lock', state, { guards: GUARDS, facts: () => ({ ...met, ...facts }) })

describe('requireGuards', () => {
  test('passes where the state and all guards allow the verb', async () => {
    expect(await lock('SHUT', {})).toBeUndefined()
  })

  test('refuses the state before it reads the facts', async () => {
    let reads = 0
    const facts = () => {
      reads++
      return met
    }
    const refused = requireGuards(DOOR, 'lock', 'OPEN', { guards: GUARDS, facts })
    await expect(refused).rejects.toMatchObject({ code: 'illegal_transition', detail: 'The door is OPEN, not SHUT.' })
    expect(reads).toBe(0)
  })

  test('names the fields of every unmet guard', async () => {
    await expect(lock('SHUT', { wet: true, broken: true })).rejects.toMatchObject({
      code: 'illegal_transition',
      detail: 'The conditions of `lock` are not met.',
      errors: [
        { field: 'frame', message: 'is wet' },
        { field: 'hinge', message: 'is broken' },
      ],
    })
  })

  test('ends with the sentence of a guard, which is then the only reason', async () => {
    const refusal = await lock('SHUT', { key: false, wet: true }).then(
      () => undefined,
      (error: Refusal) => error,
    )
    expect([refusal?.detail, refusal?.errors]).toEqual(['The key is missing.', undefined])
  })

  test('does not compile without a function for each guard of the verb', () => {
    const { isDry: _, ...others } = GUARDS
    // @ts-expect-error isDry is missing
    void (() => requireGuards(DOOR, 'lock', 'SHUT', { guards: others, facts: () => met }))
    expect(Object.keys(others)).toEqual(['hasKey', 'isWhole'])
  })
})

describe('requireTransition', () => {
  test('refuses a verb that the state does not allow', () => {
    expect(requireTransition(DOOR, 'shut', 'OPEN')).toBeUndefined()
    expect(() => requireTransition(DOOR, 'shut', 'LOCKED')).toThrow(
      expect.objectContaining({ code: 'illegal_transition', detail: 'The door is LOCKED, not OPEN.' }),
    )
  })

  test('does not compile for a verb with guards', () => {
    // @ts-expect-error lock has guards
    void (() => requireTransition(DOOR, 'lock', 'SHUT'))
    expect(DOOR.guards('lock')).toEqual(['hasKey', 'isDry', 'isWhole'])
  })
})
