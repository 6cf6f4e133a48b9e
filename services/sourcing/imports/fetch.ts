import { type AddressGuard, AddressRefused } from '../../kit/addresses/request.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import type { Attempt } from '../jobs/copy.ts'
import { JobFailure } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/queries.ts'
import { JOB_LIMITS, judgeStatus } from '../jobs/rules.ts'
import { type IdleLimit, IdleTimeout, readWithIdleTimeout, withIdleTimeout } from '../storage/idle-timeout.ts'
import { MAX_FILE_BYTES, type ObjectInfo, type Storage } from '../storage/storage.ts'

export interface Fetching {
  storage: Storage
  guard: AddressGuard
  box: SecretBox
  /** How long a source may say nothing, before its headers as between its bytes. */
  idleMs?: number
}

/** The source began to answer, and its connection failed before the end. */
export class BrokenOff extends Error {
  readonly code: string

  constructor(failure: unknown) {
    const code = String((failure as { code?: unknown } | null)?.code ?? 'no code')
    super(`the source broke off: ${code}`)
    this.name = 'BrokenOff'
    this.code = code
  }
}

/** Fetches a file from the address that somebody gave us, in bounded memory, and keeps it only when all of it came. */
export async function fetchInto(
  { storage, guard, box, idleMs = JOB_LIMITS.idleMs }: Fetching,
  job: JobRow,
  { key, signal, progress }: Attempt,
): Promise<ObjectInfo> {
  const response = await requested(guard, await box.decrypt(job.sealed_url ?? ''), { signal, idleMs })
  const announced = lengthOf(response)
  const failure = failureOf(response.status, announced)
  if (failure) {
    // A body that broke meanwhile says so here, and nobody wants it any more.
    await response.body?.cancel().catch(() => {})
    throw failure
  }
  progress.totalBytes = announced ?? null
  const body = response.body ?? new Blob([]).stream()
  return storage.put(key, received(body, { signal, idleMs }), {
    maxBytes: MAX_FILE_BYTES,
    expectedBytes: announced,
    signal,
    onProgress: (receivedBytes) => {
      progress.receivedBytes = receivedBytes
    },
  })
}

function failureOf(status: number, announced: number | undefined): JobFailure | undefined {
  const refusal = judgeStatus(status)
  if (refusal) return new JobFailure(refusal.reason, refusal)
  if (announced === undefined || announced <= MAX_FILE_BYTES) return undefined
  return new JobFailure('too_large', { isFinal: true })
}

/** The chunks of the source. The error of a connection names the whole address, signature included: its code is kept alone. */
async function* received(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  patience: IdleLimit,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readWithIdleTimeout(body, patience)
  } catch (error) {
    if (error instanceof IdleTimeout) throw new JobFailure('timed_out', { isFinal: false })
    patience.signal.throwIfAborted()
    throw new BrokenOff(error)
  }
}

async function requested(guard: AddressGuard, url: string, patience: IdleLimit): Promise<Response> {
  const headers = { 'accept-encoding': 'identity' }
  try {
    return await withIdleTimeout((signal) => guard.send({ url, method: 'GET', headers, signal }), patience)
  } catch (error) {
    if (error instanceof IdleTimeout) throw new JobFailure('timed_out', { isFinal: false })
    throw error instanceof AddressRefused ? new JobFailure('address_refused', { isFinal: true }) : error
  }
}

/** What the source announces; it may say so twice, and what comes in chunks ends by itself. */
function lengthOf({ headers }: Response): number | undefined {
  const [length, ...again] = (headers.get('content-length') ?? '').split(',').map((text) => text.trim())
  if (length === undefined || !/^\d{1,15}$/.test(length) || headers.has('transfer-encoding')) return undefined
  return again.every((text) => text === length) ? Number(length) : undefined
}
