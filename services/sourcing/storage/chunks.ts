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

/** What somebody is asked who has to begin to answer within `idleMs`; what follows ends with the signal alone. */
export async function begun<T>(ask: (signal: AbortSignal) => Promise<T>, { signal, idleMs }: Patience): Promise<T> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Stalled(idleMs)), idleMs)
  try {
    return await ask(AbortSignal.any([signal, silence.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The chunks of a body for as long as they come and the signal allows: a sender who stops is not waited for. A chunk is its
 * receiver's until he asks for the next one. Its memory is let go then, for the garbage collector does not hurry: dozens of
 * megabytes wait for it while a large file goes by.
 */
export async function* chunksOf(
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
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
      const { done, value } = await new Promise<IteratorResult<Uint8Array<ArrayBuffer>>>((resolve, reject) => {
        interrupt = reject
        iterator.next().then(resolve, reject)
      })
      isDone = done === true
      if (isDone) return
      yield value
      letGo(value)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    // Not awaited: a stream that is waiting for its sender would keep us.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}

/** The memory of a chunk that has all of its buffer. */
function letGo({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength === byteLength) buffer.transfer(0)
}
