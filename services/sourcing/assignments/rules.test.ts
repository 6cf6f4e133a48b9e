import { expect, test } from 'bun:test'
import { ORDER_STATES } from '../../../proto/states/orders.ts'

import { FINAL_ORDER_STATES } from '../../testing/contract-states.ts'
import { guardProblem, patched } from './rules.ts'

test.each(ORDER_STATES)('an assignment whose order is %s', (status) => {
  const isFinal = FINAL_ORDER_STATES.includes(status)
  const problem = isFinal ? undefined : `The order is ${status}, not COMPLETED, DECLINED or CANCELLED.`
  expect(guardProblem('archive', { status })).toBe(problem)
  expect(guardProblem('unarchive', { status })).toBeUndefined()
})

test('patched replaces the fields that are sent and removes those that are null', () => {
  const present: { name: string; role?: string; phone?: string } = { name: 'Ida', role: 'Buyer' }
  expect(patched(present, { role: null, phone: '1' })).toEqual({ name: 'Ida', phone: '1' })
  expect(patched(present, {})).toEqual(present)
})
