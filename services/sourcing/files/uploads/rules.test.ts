import { expect, test } from 'bun:test'
import { type TenantTransfer, transferToPreempt } from './rules.ts'

const slow = { ageMs: 5000, receivedBytes: 100 }
const transfer = (orgId: string, more: Partial<TenantTransfer> = {}): TenantTransfer => ({ orgId, ...slow, ...more })

test('the slowest transfer of the organizations with more transfers is preempted', () => {
  const slowest = transfer('org_1', { receivedBytes: 1 })
  const transfers = [transfer('org_1'), slowest, transfer('org_2'), transfer('org_2', { receivedBytes: 2 })]
  expect(transferToPreempt(transfers, 'org_3')).toBe(slowest)
  expect(transferToPreempt([...transfers, transfer('org_3')], 'org_3')).toBeUndefined()
})

test('an organization does not preempt its own transfers, nor those of one with as many', () => {
  expect(transferToPreempt([transfer('org_1'), transfer('org_1')], 'org_1')).toBeUndefined()
  expect(transferToPreempt([transfer('org_1')], 'org_2')).toBeUndefined()
})

test('a transfer within its grace period, and a fast one, is not preempted', () => {
  const recent = { ageMs: 4999, receivedBytes: 0 }
  // 128 KiB a second.
  const fast = { ageMs: 10_000, receivedBytes: 1_310_720 }
  expect(transferToPreempt([transfer('org_1', recent), transfer('org_1', recent)], 'org_2')).toBeUndefined()
  expect(transferToPreempt([transfer('org_1', fast), transfer('org_1', fast)], 'org_2')).toBeUndefined()
  const slower = transfer('org_1', { ...fast, receivedBytes: 1_310_719 })
  expect(transferToPreempt([transfer('org_1', fast), slower], 'org_2')).toBe(slower)
})
