import { describe, expect, test } from 'bun:test'
import { ORDER_STATES } from '../../../proto/http/sourcing/orders.ts'
import { FINAL_STATES, heldStateAfter, isLegal, ORDER_TRANSITIONS, type OrderVerb, stateAfter } from './states.ts'

const VERBS = Object.keys(ORDER_TRANSITIONS) as OrderVerb[]

describe('the states of an order', () => {
  test('no verb leaves a final state, and a verb leaves every other one', () => {
    for (const state of ORDER_STATES) {
      expect([state, VERBS.some((verb) => isLegal(verb, state))]).toEqual([state, !FINAL_STATES.includes(state)])
    }
  })

  test('every state but PLACED follows a verb', () => {
    const reached = VERBS.flatMap((verb) =>
      ORDER_TRANSITIONS[verb].from.map((state) => stateAfter(verb, state, state === 'ON_HOLD' ? 'CONFIRMED' : null)),
    )
    expect(ORDER_STATES.filter((state) => !reached.includes(state))).toEqual(['PLACED'])
  })

  test('a hold keeps the state, milestones on hold keep it too, and resume returns to it', () => {
    for (const state of ORDER_TRANSITIONS.hold.from) {
      expect(heldStateAfter(state, stateAfter('hold', state, null), null)).toBe(state)
      expect(heldStateAfter('ON_HOLD', stateAfter('milestones', 'ON_HOLD', state), state)).toBe(state)
      expect(stateAfter('resume', 'ON_HOLD', state)).toBe(state)
      expect(heldStateAfter('ON_HOLD', state, state)).toBeNull()
    }
    expect(() => stateAfter('resume', 'ON_HOLD', null)).toThrow()
  })
})
