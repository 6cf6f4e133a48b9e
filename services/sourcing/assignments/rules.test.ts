import { expect, test } from 'bun:test'
import { ASSIGNMENT } from '../../../proto/states/assignments.ts'
import { ORDER_STATES } from '../../../proto/states/orders.ts'
import { FINAL_ORDER_STATES } from '../../testing/contract-states.ts'
import { GUARDS } from './rules.ts'

test.each(ORDER_STATES)('an assignment whose order is %s', (status) => {
  const isFinal = FINAL_ORDER_STATES.includes(status)
  const problem = isFinal ? undefined : `The order is ${status}, not COMPLETED, DECLINED or CANCELLED.`
  expect(ASSIGNMENT.problems('archive', GUARDS, { status })).toEqual(problem ?? [])
  expect(ASSIGNMENT.problems('unarchive', GUARDS, { status })).toEqual([])
})
