import { expect, test } from 'bun:test'
import { IdleTimeout, readWithIdleTimeout, withIdleTimeout } from './idle-timeout.ts'

const neverAborted = () => new AbortController().signal

async function countOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0
  for await (const chunk of bytes) count += chunk.byteLength
  return count
}

/** Sends `count` chunks, then neither another chunk nor the end. */
const stalledAfter = (count: number) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (count-- > 0) controller.enqueue(new Uint8Array(10))
      else return new Promise(() => {})
    },
  })

const streamOf = (...chunks: Uint8Array<ArrayBuffer>[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

test('a body of 200,000 bytes is read completely', async () => {
  const body = new Response(new Uint8Array(200_000)).body as ReadableStream<Uint8Array<ArrayBuffer>>
  expect(await countOf(readWithIdleTimeout(body, { signal: neverAborted(), idleMs: 1000 }))).toBe(200_000)
})

test('a stream that stalls throws IdleTimeout', async () => {
  const chunks = readWithIdleTimeout(stalledAfter(3), { signal: neverAborted(), idleMs: 30 })
  await expect(countOf(chunks)).rejects.toThrow(IdleTimeout)
})

test('a slow stream whose pauses are shorter than idleMs is read to the end', async () => {
  let left = 10
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await Bun.sleep(20)
      if (left-- > 0) controller.enqueue(new Uint8Array(1))
      else controller.close()
    },
  })
  expect(await countOf(readWithIdleTimeout(slow, { signal: neverAborted(), idleMs: 150 }))).toBe(10)
})

test('an aborted signal ends the stream at once, also before the first chunk', async () => {
  const stopping = new AbortController()
  const limit = { signal: stopping.signal, idleMs: 60_000 }
  const counting = countOf(readWithIdleTimeout(stalledAfter(1), limit))
  stopping.abort(new Error('stopped'))
  await expect(counting).rejects.toThrow('stopped')
  await expect(countOf(readWithIdleTimeout(stalledAfter(0), limit))).rejects.toThrow('stopped')
})

test('the memory of a chunk is freed when the next chunk is requested', async () => {
  const seen: Uint8Array[] = []
  const lengths: number[] = []
  const two = streamOf(new Uint8Array(1000).fill(1), new Uint8Array(1000).fill(2))
  for await (const chunk of readWithIdleTimeout(two, { signal: neverAborted(), idleMs: 1000 })) {
    seen.push(chunk)
    lengths.push(chunk.byteLength)
    expect(chunk[999]).toBe(seen.length)
  }
  expect([lengths, seen.map(({ byteLength }) => byteLength)]).toEqual([
    [1000, 1000],
    [0, 0],
  ])
})

test('a chunk that is a view of a larger buffer does not free that buffer', async () => {
  const whole = new Uint8Array(1000)
  const chunks = readWithIdleTimeout(streamOf(whole.subarray(0, 500)), { signal: neverAborted(), idleMs: 1000 })
  expect(await countOf(chunks)).toBe(500)
  expect(whole.byteLength).toBe(1000)
})

test('a request that does not begin within idleMs throws IdleTimeout; one that has begun is not interrupted', async () => {
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await expect(withIdleTimeout(never, { signal: neverAborted(), idleMs: 30 })).rejects.toThrow(IdleTimeout)
  const stopping = new AbortController()
  const waiting = withIdleTimeout(never, { signal: stopping.signal, idleMs: 60_000 })
  stopping.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  const signal = await withIdleTimeout(async (given) => given, { signal: neverAborted(), idleMs: 10 })
  await Bun.sleep(50)
  expect(signal.aborted).toBe(false)
})
