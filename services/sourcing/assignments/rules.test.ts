import { describe, expect, test } from 'bun:test'
import { ORDER_STATES } from '../../../proto/http/sourcing/orders.ts'
import { FINAL_ORDER_STATES } from '../../testing/contract-states.ts'
import { archivingProblem, patched } from './rules.ts'

describe('archivingProblem', () => {
  test.each(ORDER_STATES)('of an order that is %s', (status) => {
    const isFinal = FINAL_ORDER_STATES.includes(status)
    const problem = archivingProblem('archive', { status, archived: false })
    expect(problem).toBe(isFinal ? undefined : `The order is ${status}, not COMPLETED, DECLINED or CANCELLED.`)
    expect(archivingProblem('unarchive', { status, archived: false })).toBe('The assignment is not archived.')
    expect(archivingProblem('archive', { status, archived: true })).toBe('The assignment is archived already.')
    expect(archivingProblem('unarchive', { status, archived: true })).toBeUndefined()
  })
})

test('patched replaces the fields that are sent and removes those that are null', () => {
  const present: { name: string; role?: string; phone?: string } = { name: 'Ida', role: 'Buyer' }
  expect(patched(present, { role: null, phone: '1' })).toEqual({ name: 'Ida', phone: '1' })
  expect(patched(present, {})).toEqual(present)
})
