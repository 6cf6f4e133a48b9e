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

test('who waits gets the place that is given back, and those of others do not wait with them', async () => {
  const reads = new LongReads()
  const ends = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const working = ends.map(({ promise }) => reads.during('org_1', () => promise))
  const order: string[] = []
  const third = reads.during('org_1', async () => order.push('third'))
  await reads.during('org_2', async () => order.push('of another'))
  expect(order).toEqual(['of another'])
  ends[0]?.resolve('done')
  await third
  expect(order).toEqual(['of another', 'third'])
  ends[1]?.resolve('done')
  expect(await Promise.all(working)).toEqual(['done', 'done'])
})

test('nobody waits for ever, nor do more than a few of one organization', async () => {
  const reads = new LongReads({ maxAtOnce: 1, waitMs: 20 })
  const end = Promise.withResolvers<void>()
  const working = reads.during('org_1', () => end.promise)
  const waiting = Array.from({ length: 20 }, () => reads.during('org_2', async () => {}).catch((error) => error.code))
  await expect(reads.during('org_2', async () => {})).rejects.toThrow('rate_limited')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['rate_limited']))
  end.resolve()
  await working
  await reads.during('org_2', async () => {})
})

test('work that fails gives its place back', async () => {
  const reads = new LongReads({ maxAtOnce: 1 })
  await expect(reads.during('org_1', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  reads.take('org_1')
})
