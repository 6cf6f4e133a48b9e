export interface Patience {
  signal: AbortSignal
  /** How long the sender may say nothing. */
  idleMs: number
}

/** Nothing came for longer than somebody was willing to wait. */
export class Stalled extends Error {
  constructor(idleMs: number) {
    super(`nothing came for ${idleMs} ms`)
    this.name = 'Stalled'
  }
}

/** The chunks of a stream for as long as they come and the signal allows: a sender who stops is not waited for. */
export async function* chunksOf(
  bytes: AsyncIterable<Uint8Array>,
  { signal, idleMs }: Patience,
): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await nextOf(iterator, signal, idleMs)
      isDone = done === true
      if (isDone) return
      yield value
    }
  } finally {
    // Not awaited: a stream that is waiting for its sender would keep us.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}

function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal, idleMs: number): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    const stop = () => {
      settle()
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      settle()
      reject(new Stalled(idleMs))
    }, idleMs)
    signal.addEventListener('abort', stop)
    iterator.next().then(
      (result) => {
        settle()
        resolve(result)
      },
      (error) => {
        settle()
        reject(error)
      },
    )
  })
}
