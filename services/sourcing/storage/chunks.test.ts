import { expect, test } from 'bun:test'
import { begun, chunksOf, Stalled } from './chunks.ts'

const patient = () => new AbortController().signal

async function countOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0
  for await (const chunk of bytes) count += chunk.byteLength
  return count
}

/** So many chunks, and then neither more nor an end. */
const stuckAfter = (count: number, onCancel = () => {}) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (count-- > 0) controller.enqueue(new Uint8Array(10))
      else return new Promise(() => {})
    },
    cancel: onCancel,
  })

const bodyOf = (bytes: number) =>
  new Response(new Uint8Array(bytes).fill(7)).body as ReadableStream<Uint8Array<ArrayBuffer>>

test('all chunks come through, and the end', async () => {
  expect(await countOf(chunksOf(bodyOf(200_000), { signal: patient(), idleMs: 1000 }))).toBe(200_000)
})

test('a sender who stops is not waited for', async () => {
  await expect(countOf(chunksOf(stuckAfter(3), { signal: patient(), idleMs: 30 }))).rejects.toThrow(Stalled)
})

test('a sender who goes on is, however long it takes altogether', async () => {
  let left = 10
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await Bun.sleep(20)
      if (left-- > 0) controller.enqueue(new Uint8Array(1))
      else controller.close()
    },
  })
  expect(await countOf(chunksOf(slow, { signal: patient(), idleMs: 150 }))).toBe(10)
})

test('the signal ends it at once, also before the first chunk', async () => {
  const stopping = new AbortController()
  const counting = countOf(chunksOf(stuckAfter(1), { signal: stopping.signal, idleMs: 60_000 }))
  stopping.abort(new Error('stopped'))
  await expect(counting).rejects.toThrow('stopped')
  const stopped = { signal: stopping.signal, idleMs: 60_000 }
  await expect(countOf(chunksOf(stuckAfter(0), stopped))).rejects.toThrow('stopped')
})

test('a chunk is there until the next one is asked for, and its memory is let go then', async () => {
  const seen: Uint8Array[] = []
  const lengths: number[] = []
  const two = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const byte of [1, 2]) controller.enqueue(new Uint8Array(1000).fill(byte))
      controller.close()
    },
  })
  for await (const chunk of chunksOf(two, { signal: patient(), idleMs: 1000 })) {
    seen.push(chunk)
    lengths.push(chunk.byteLength)
    expect(chunk[999]).toBe(seen.length)
  }
  expect([lengths, seen.map(({ byteLength }) => byteLength)]).toEqual([
    [1000, 1000],
    [0, 0],
  ])
})

test('a chunk that is a part of a larger buffer leaves the rest of it alone', async () => {
  const whole = new Uint8Array(1000)
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(whole.subarray(0, 500))
      controller.close()
    },
  })
  expect(await countOf(chunksOf(stream, { signal: patient(), idleMs: 1000 }))).toBe(500)
  expect(whole.byteLength).toBe(1000)
})

test('who does not begin in time is not waited for, and who has begun has all the time that the signal leaves', async () => {
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await expect(begun(never, { signal: patient(), idleMs: 30 })).rejects.toThrow(Stalled)
  const stopping = new AbortController()
  const waiting = begun(never, { signal: stopping.signal, idleMs: 60_000 })
  stopping.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  const signal = await begun(async (given) => given, { signal: patient(), idleMs: 10 })
  await Bun.sleep(50)
  expect(signal.aborted).toBe(false)
})
