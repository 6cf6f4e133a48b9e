import { expect, test } from 'bun:test'
import { renderJob } from './job.ts'

test('a replica renders two files at once, and all replicas together one of an organization', () => {
  const { slots, tenantSlots } = renderJob({} as Parameters<typeof renderJob>[0])
  expect([slots, tenantSlots]).toEqual([2, 1])
})
