import { expect, test } from 'bun:test'
import { inBatches } from './batches.ts'

const { signal } = new AbortController()

test('batches continue until one is not full', async () => {
  const counts = [5, 5, 2, 5]
  expect(await inBatches({ limit: 5, signal }, async () => ({ count: counts.shift() ?? 0 }))).toBe(12)
  expect(counts).toEqual([5])
})

test('the deletion ends after the maximum number of batches', async () => {
  expect(await inBatches({ limit: 5, signal }, async (limit) => ({ count: limit }))).toBe(100)
})

test('no batch starts after the signal', async () => {
  const stopping = new AbortController()
  const stopped = inBatches({ limit: 5, signal: stopping.signal }, async (limit) => {
    stopping.abort()
    return { count: limit }
  })
  expect(await stopped).toBe(5)
})
