import { expect, test } from 'bun:test'
import { chunksOf, Stalled } from './chunks.ts'

const patient = () => new AbortController().signal

async function countOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0
  for await (const chunk of bytes) count += chunk.byteLength
  return count
}

/** So many chunks, and then neither more nor an end. */
const stuckAfter = (count: number, onCancel = () => {}) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      if (count-- > 0) controller.enqueue(new Uint8Array(10))
      else return new Promise(() => {})
    },
    cancel: onCancel,
  })

test('all chunks come through, and the end', async () => {
  const stream = new Blob([new Uint8Array(200_000)]).stream()
  expect(await countOf(chunksOf(stream, { signal: patient(), idleMs: 1000 }))).toBe(200_000)
})

test('a sender who stops is not waited for', async () => {
  await expect(countOf(chunksOf(stuckAfter(3), { signal: patient(), idleMs: 30 }))).rejects.toThrow(Stalled)
})

test('a sender who goes on is, however long it takes altogether', async () => {
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 10; n++) {
      await Bun.sleep(20)
      yield new Uint8Array(1)
    }
  }
  expect(await countOf(chunksOf(slowly(), { signal: patient(), idleMs: 150 }))).toBe(10)
})

test('the signal ends it at once, also before the first chunk', async () => {
  const stopping = new AbortController()
  const counting = countOf(chunksOf(stuckAfter(1), { signal: stopping.signal, idleMs: 60_000 }))
  stopping.abort(new Error('stopped'))
  await expect(counting).rejects.toThrow('stopped')
  const stopped = { signal: stopping.signal, idleMs: 60_000 }
  await expect(countOf(chunksOf(stuckAfter(0), stopped))).rejects.toThrow('stopped')
})
