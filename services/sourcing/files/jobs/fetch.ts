import { type AddressGuard, AddressRefused } from '../../../kit/addresses/guard.ts'
import type { SecretBox } from '../../../kit/secrets/box.ts'
import { type IdleLimit, IdleTimeout, readWithIdleTimeout, withIdleTimeout } from '../storage/idle-timeout.ts'
import { MAX_FILE_BYTES, type ObjectInfo, type Storage } from '../storage/storage.ts'
import { type Attempt, failureOfStatus, type ImportData, JOB_LIMITS, JobFailure } from './rules.ts'

export interface FetchDeps {
  storage: Storage
  guard: AddressGuard
  box: SecretBox
  /** The longest pause of a source before its headers and between its chunks. */
  idleMs?: number
}

/** The connection to the source failed after the headers. */
class SourceDisconnected extends Error {
  readonly code: string

  constructor(failure: unknown) {
    const code = String((failure as { code?: unknown } | null)?.code ?? 'no code')
    super(`the source disconnected: ${code}`)
    this.name = 'SourceDisconnected'
    this.code = code
  }
}

/** Fetches the URL of an import into the store, in bounded memory. */
export async function fetchImport(
  { storage, guard, box, idleMs = JOB_LIMITS.idleMs }: FetchDeps,
  { encryptedUrl }: ImportData,
  { key, signal, progress }: Attempt,
): Promise<ObjectInfo> {
  const response = await sendRequest(guard, await box.decrypt(encryptedUrl), { signal, idleMs })
  const expectedBytes = bodyLengthOf(response)
  const failure = failureOf(response.status, expectedBytes)
  if (failure) {
    // The body is not needed; its connection may have failed already.
    await response.body?.cancel().catch(() => {})
    throw failure
  }
  progress.totalBytes = expectedBytes ?? null
  const body = response.body ?? new Blob([]).stream()
  return storage.put(key, readBody(body, { signal, idleMs }), {
    maxBytes: MAX_FILE_BYTES,
    expectedBytes,
    signal,
    onProgress: (receivedBytes) => {
      progress.receivedBytes = receivedBytes
    },
  })
}

function failureOf(status: number, expectedBytes: number | undefined): JobFailure | undefined {
  const failure = failureOfStatus(status)
  if (failure) return new JobFailure(failure.reason, failure)
  if (expectedBytes === undefined || expectedBytes <= MAX_FILE_BYTES) return undefined
  return new JobFailure('too_large', { isFinal: true })
}

/** The chunks of the source. Connection errors contain the URL with its signature, so only their code is kept. */
async function* readBody(body: ReadableStream<Uint8Array<ArrayBuffer>>, limit: IdleLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* readWithIdleTimeout(body, limit)
  } catch (error) {
    if (error instanceof IdleTimeout) throw new JobFailure('timed_out', { isFinal: false })
    limit.signal.throwIfAborted()
    throw new SourceDisconnected(error)
  }
}

async function sendRequest(guard: AddressGuard, url: string, limit: IdleLimit): Promise<Response> {
  const headers = { 'accept-encoding': 'identity' }
  try {
    return await withIdleTimeout((signal) => guard.send({ url, method: 'GET', headers, signal }), limit)
  } catch (error) {
    if (error instanceof IdleTimeout) throw new JobFailure('timed_out', { isFinal: false })
    throw error instanceof AddressRefused ? new JobFailure('address_refused', { isFinal: true }) : error
  }
}

/** The value of `Content-Length`, which may be repeated. Undefined for a chunked body and for different values. */
function bodyLengthOf({ headers }: Response): number | undefined {
  const [length, ...repeated] = (headers.get('content-length') ?? '').split(',').map((text) => text.trim())
  if (length === undefined || !/^\d{1,15}$/.test(length) || headers.has('transfer-encoding')) return undefined
  return repeated.every((text) => text === length) ? Number(length) : undefined
}
