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
  // One listener and one timer for the whole stream: each chunk is small, and there are thousands.
  let interrupt = (_reason: unknown) => {}
  const stop = () => interrupt(signal.reason)
  const timer = setTimeout(() => interrupt(new Stalled(idleMs)), idleMs)
  signal.addEventListener('abort', stop)
  let isDone = false
  try {
    for (;;) {
      signal.throwIfAborted()
      timer.refresh()
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        interrupt = reject
        iterator.next().then(resolve, reject)
      })
      isDone = done === true
      if (isDone) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    // Not awaited: a stream that is waiting for its sender would keep us.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
