import { type AddressGuard, AddressRefused } from '../../kit/addresses/request.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { chunksOf, Stalled } from '../../kit/storage/chunks.ts'
import { type Facts, MAX_FILE_BYTES, type Storage } from '../../kit/storage/storage.ts'
import type { Attempt } from '../jobs/copy.ts'
import { JobFailure } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/queries.ts'
import { JOB_LIMITS, judgeStatus } from '../jobs/rules.ts'

export interface Fetching {
  storage: Storage
  guard: AddressGuard
  box: SecretBox
}

/** Fetches a file from the address that somebody gave us, in bounded memory, and keeps it only when all of it came. */
export async function fetchInto({ storage, guard, box }: Fetching, job: JobRow, attempt: Attempt): Promise<Facts> {
  const { key, signal, progress } = attempt
  const response = await requested(guard, await box.decrypt(job.sealed_url ?? ''), signal)
  const refusal = judgeStatus(response.status)
  if (refusal) {
    await response.body?.cancel()
    throw new JobFailure(refusal.reason, refusal)
  }
  const announced = lengthOf(response)
  if (announced !== undefined && announced > MAX_FILE_BYTES) {
    await response.body?.cancel()
    throw new JobFailure('too_large', { isFinal: true })
  }
  progress.totalBytes = announced ?? null
  const body = response.body ?? new Blob([]).stream()
  return storage
    .put(key, chunksOf(body, { signal, idleMs: JOB_LIMITS.idleMs }), {
      maxBytes: MAX_FILE_BYTES,
      expectedBytes: announced,
      signal,
      onProgress: (receivedBytes) => {
        progress.receivedBytes = receivedBytes
      },
    })
    .catch((error: unknown) => {
      throw error instanceof Stalled ? new JobFailure('timed_out', { isFinal: false }) : error
    })
}

async function requested(guard: AddressGuard, url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await guard.send({ url, method: 'GET', headers: { 'accept-encoding': 'identity' }, signal })
  } catch (error) {
    throw error instanceof AddressRefused ? new JobFailure('address_refused', { isFinal: true }) : error
  }
}

/** What the source announces; it may say so twice, and what comes in chunks ends by itself. */
function lengthOf({ headers }: Response): number | undefined {
  const [length, ...again] = (headers.get('content-length') ?? '').split(',').map((text) => text.trim())
  if (length === undefined || !/^\d{1,15}$/.test(length) || headers.has('transfer-encoding')) return undefined
  return again.every((text) => text === length) ? Number(length) : undefined
}
