import { expect, test } from 'bun:test'
import { LongReads } from './long-reads.ts'

test('an organization has two places, and what it does not give back keeps nobody else waiting', () => {
  const reads = new LongReads()
  const [first] = [reads.take('org_1'), reads.take('org_1')]
  expect(() => reads.take('org_1')).toThrow('rate_limited')
  reads.take('org_2')
  first()
  // Given back once, however often it is said.
  first()
  reads.take('org_1')
  expect(() => reads.take('org_1')).toThrow('rate_limited')
})

test('a process has sixteen', () => {
  const reads = new LongReads()
  for (let n = 0; n < 16; n++) reads.take(`org_${n}`)
  expect(() => reads.take('org_16')).toThrow('rate_limited')
})
