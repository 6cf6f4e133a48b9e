import { expect, test } from 'bun:test'
import { inBatches } from './batches.ts'

const { signal } = new AbortController()

test('full batches are followed by another one, and the first that is not full is the last', async () => {
  const counts = [5, 5, 2, 5]
  expect(await inBatches({ limit: 5, signal }, async () => ({ count: counts.shift() ?? 0 }))).toBe(12)
  expect(counts).toEqual([5])
})

test('there is no end to what is due, but one to what a sweep takes', async () => {
  expect(await inBatches({ limit: 5, signal }, async (limit) => ({ count: limit }))).toBe(100)
})

test('no batch begins after the signal', async () => {
  const stopping = new AbortController()
  const stopped = inBatches({ limit: 5, signal: stopping.signal }, async (limit) => {
    stopping.abort()
    return { count: limit }
  })
  expect(await stopped).toBe(5)
})
