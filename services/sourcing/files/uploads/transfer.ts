import type { Pool } from '../../../kit/db/client.ts'
import { invalidField, notFound, refuse } from '../../../kit/errors/refusal.ts'
import { contentLengthOf } from '../../../kit/limits/content-length.ts'
import { KeyedSemaphore } from '../../../kit/limits/keyed-semaphore.ts'
import type { FolderStorage } from '../storage/folder/store.ts'
import { IdleTimeout, readWithIdleTimeout } from '../storage/idle-timeout.ts'
import { AlreadyStored, LengthMismatch, MAX_FILE_BYTES, TooLarge } from '../storage/storage.ts'
import { findOpenUpload } from './queries.ts'
import { UPLOAD_LIMITS } from './rules.ts'

interface UploadRequest {
  request: Request
  id: string
  expires: number
  signature: string
}

/** Receives the bytes of uploads for the folder store. */
export class Transfers {
  readonly #sql: Pool
  readonly #folder: FolderStorage | undefined
  readonly permits = new KeyedSemaphore({
    what: 'uploads',
    permits: UPLOAD_LIMITS.maxTransfers,
    permitsPerKey: UPLOAD_LIMITS.maxTransfersPerTenant,
  })
  /** The ids of the uploads. */
  readonly #running = new Set<string>()

  constructor(sql: Pool, folder: FolderStorage | undefined) {
    this.#sql = sql
    this.#folder = folder
  }

  async receive({ request, id, expires, signature }: UploadRequest): Promise<void> {
    const folder = this.#folder
    if (!folder) throw notFound()
    if (!folder.allows({ method: 'PUT', key: id, expires }, signature)) {
      throw refuse('forbidden', { detail: 'The upload URL has expired or its signature is not valid.' })
    }
    // A partial body would be stored as if it were the complete file.
    if (request.headers.has('content-range')) throw invalidField('Content-Range', 'is not supported')
    const expectedBytes = contentLengthOf(request)
    if (expectedBytes !== undefined && expectedBytes > MAX_FILE_BYTES) throw tooLarge()
    if (folder.exists(id)) throw notOpen()
    const [open] = await findOpenUpload(this.#sql, id)
    // No await between this check and `add`, so that only one transfer of an upload runs.
    if (!open || this.#running.has(id)) throw notOpen()
    const release = this.permits.acquire(open.org_id)
    this.#running.add(id)
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(UPLOAD_LIMITS.transferMs)])
      const body = request.body ?? new Blob([]).stream()
      const chunks = readWithIdleTimeout(body, { signal, idleMs: UPLOAD_LIMITS.idleMs })
      await folder.put(id, chunks, { maxBytes: MAX_FILE_BYTES, expectedBytes, signal })
    } catch (error) {
      throw refusalOf(error)
    } finally {
      this.#running.delete(id)
      release()
    }
  }
}

const notOpen = () =>
  refuse('conflict', {
    detail: 'The upload is receiving its bytes from another request, has received them, or has expired.',
  })
const tooLarge = () => refuse('payload_too_large', { detail: `A file may have at most ${MAX_FILE_BYTES} bytes.` })

function refusalOf(error: unknown): unknown {
  if (error instanceof TooLarge) return tooLarge()
  if (error instanceof AlreadyStored) return notOpen()
  if (error instanceof IdleTimeout || nameOf(error) === 'TimeoutError')
    return invalidField('body', 'was not sent in time')
  if (error instanceof LengthMismatch || isDisconnect(error)) return invalidField('body', 'is incomplete')
  return error
}

const nameOf = (error: unknown) => String((error as { name?: unknown } | null)?.name)
const isDisconnect = (error: unknown) =>
  ['AbortError', 'ConnectionClosed'].includes(nameOf(error)) ||
  (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE'
