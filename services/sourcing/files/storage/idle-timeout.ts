export interface IdleLimit {
  signal: AbortSignal
  /** The longest pause between two chunks, and before the first one. */
  idleMs: number
}

/** The sender paused for longer than `idleMs`. */
export class IdleTimeout extends Error {
  constructor(idleMs: number) {
    super(`no bytes for ${idleMs} ms`)
    this.name = 'IdleTimeout'
  }
}

/** Runs a request that must begin to answer within `idleMs`. After that only the signal ends it. */
export async function withIdleTimeout<T>(
  request: (signal: AbortSignal) => Promise<T>,
  { signal, idleMs }: IdleLimit,
): Promise<T> {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(new IdleTimeout(idleMs)), idleMs)
  try {
    return await request(AbortSignal.any([signal, idle.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The chunks of a stream, until it ends, pauses for too long, or the signal aborts. A chunk is valid until the next one
 * is requested; then its memory is freed at once, because garbage collection would lag by dozens of megabytes.
 */
export async function* readWithIdleTimeout(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { signal, idleMs }: IdleLimit,
): AsyncGenerator<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  // One listener and one timer serve all chunks, because a large file has thousands of them.
  let interrupt = (_reason: unknown) => {}
  const onAbort = () => interrupt(signal.reason)
  const timer = setTimeout(() => interrupt(new IdleTimeout(idleMs)), idleMs)
  signal.addEventListener('abort', onAbort)
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
      detach(value)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Not awaited, because `return` of a stalled stream never settles.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}

/** Frees the memory of a chunk that owns its whole buffer. */
function detach({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength === byteLength) buffer.transfer(0)
}
