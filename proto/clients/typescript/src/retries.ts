import { errorOf, NetworkError, type Requested } from './errors.ts'

export interface RetryOptions {
  /** Time for one attempt, its body included. Default: 60 seconds. */
  timeoutMs?: number
  /** Repeated attempts after the first one. Default: 4. */
  maxRetries?: number
  /** A longer `Retry-After` is not waited for. Default: 60 seconds. */
  maxWaitMs?: number
}

interface Repeatable extends RetryOptions {
  request: Requested
  signal: AbortSignal
  /** Whether the request can be sent again without doing its work twice. */
  isRepeatable: boolean
  /** Time after the first attempt from which the request is not sent again. Default: no end. */
  resendWithinMs?: number
}

const FIRST_WAIT_MS = 250
/** A pause is at most this many times as long. */
const MAX_SPREAD = 1.5

/** Sends a request, and again after 429, 503 and a failure of the network, where nothing can be done twice. */
export async function repeated(
  send: (signal: AbortSignal) => Promise<Response>,
  {
    request,
    signal,
    isRepeatable,
    resendWithinMs = Number.POSITIVE_INFINITY,
    timeoutMs = 60_000,
    maxRetries = 4,
    maxWaitMs = 60_000,
  }: Repeatable,
): Promise<Response> {
  const beganAtMs = Date.now()
  const isTooLate = (waitMs: number) => Date.now() - beganAtMs + waitMs * MAX_SPREAD >= resendWithinMs
  for (let attempt = 0; ; attempt++) {
    const isLast = !isRepeatable || attempt >= maxRetries
    let waitMs = FIRST_WAIT_MS * 2 ** attempt
    try {
      const response = await send(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
      if (isLast || !(await isTransient(response, attempt))) return response
      waitMs = retryAfterMs(response) ?? waitMs
      if (waitMs > maxWaitMs || isTooLate(waitMs)) return response
      await response.body?.cancel()
    } catch (error) {
      if (signal.aborted) throw error
      if (isLast || isTooLate(waitMs)) throw new NetworkError(request, { cause: error, attempts: attempt + 1 })
    }
    // Clients that were refused together do not come back together.
    await pause(waitMs * (1 + Math.random() * (MAX_SPREAD - 1)), signal)
    // A machine that slept wakes up after a longer pause.
    if (isTooLate(0)) {
      const cause = new Error('the time to send it again is over')
      throw new NetworkError(request, { cause, attempts: attempt + 1 })
    }
  }
}

/** The first attempt of a command may still be running, which its key tells. */
async function isTransient(response: Response, attempt: number): Promise<boolean> {
  if (response.status === 429 || response.status === 503) return true
  if (attempt === 0 || response.status !== 409) return false
  const { code } = await errorOf({ method: '', url: response.url }, response.clone())
  return code === 'idempotency_conflict'
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : undefined
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await unlessAborted(waited, signal).finally(() => clearTimeout(timer))
}

/** Waits for a promise, at most until the abort. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    // The promise gets its handlers even after an abort, because its rejection would otherwise end the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
