import { expect, test } from 'bun:test'
import { type Standing, slowestOf, UPLOAD_LIMITS } from './rules.ts'

const { graceMs, slowBelowBytes } = UPLOAD_LIMITS
const slow = { heldMs: graceMs, receivedBytes: 100 }
const transfer = (orgId: string, standing: Partial<Standing> = {}): Standing => ({ orgId, ...slow, ...standing })

test('of those who have more places than the newcomer would have, the slowest gives way', () => {
  const slowest = transfer('org_1', { receivedBytes: 1 })
  const transfers = [transfer('org_1'), slowest, transfer('org_2'), transfer('org_2', { receivedBytes: 2 })]
  expect(slowestOf(transfers, 'org_3')).toBe(slowest)
  expect(slowestOf([...transfers, transfer('org_3')], 'org_3')).toBeUndefined()
})

test('nobody gives way to himself, nor to who has as many', () => {
  expect(slowestOf([transfer('org_1'), transfer('org_1')], 'org_1')).toBeUndefined()
  expect(slowestOf([transfer('org_1')], 'org_2')).toBeUndefined()
})

test('who has just begun, and who is not slow, does not give way', () => {
  const begun = { heldMs: graceMs - 1, receivedBytes: 0 }
  const quick = { heldMs: 10_000, receivedBytes: 10 * slowBelowBytes }
  expect(slowestOf([transfer('org_1', begun), transfer('org_1', begun)], 'org_2')).toBeUndefined()
  expect(slowestOf([transfer('org_1', quick), transfer('org_1', quick)], 'org_2')).toBeUndefined()
})
