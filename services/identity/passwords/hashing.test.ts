import { expect, test } from 'bun:test'
import { createHashing } from './hashing.ts'

test('with all slots and the queue full, the next call is rate_limited', async () => {
  const hashing = createHashing({ slots: 1, maxWaiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = hashing.withSlot(() => promise)
  const waiting = hashing.withSlot(async () => 'waited')
  await expect(hashing.withSlot(async () => 'refused')).rejects.toMatchObject({ code: 'rate_limited' })
  resolve()
  await running
  expect(await waiting).toBe('waited')
})
