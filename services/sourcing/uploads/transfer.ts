import type { Pool } from '../../kit/db/client.ts'
import { invalidField, notFound, refuse, unavailable } from '../../kit/errors/refusal.ts'
import type { FolderStorage } from '../storage/folder/store.ts'
import { IdleTimeout, readWithIdleTimeout } from '../storage/idle-timeout.ts'
import { AlreadyStored, LengthMismatch, MAX_FILE_BYTES, TooLarge } from '../storage/storage.ts'
import { findOpenUpload } from './queries.ts'
import { slowestOf, UPLOAD_LIMITS } from './rules.ts'

export interface Transfer {
  request: Request
  id: string
  expires: number
  signature: string
}

/** An upload that is being received. */
interface Running {
  orgId: string
  sinceMs: number
  receivedBytes: number
  /** Aborted when it has to give way. */
  leave: AbortController
}

/** Takes the bytes of uploads where the store is a folder of ours: one transfer for an upload, a bounded number in all. */
export class Transfers {
  readonly #sql: Pool
  readonly #folder: FolderStorage | undefined
  /** By the ids of their uploads. */
  readonly #running = new Map<string, Running>()

  constructor(sql: Pool, folder: FolderStorage | undefined) {
    this.#sql = sql
    this.#folder = folder
  }

  async receive({ request, id, expires, signature }: Transfer): Promise<void> {
    const folder = this.#folder
    if (!folder) throw notFound()
    if (!folder.allows({ method: 'PUT', key: id, expires }, signature)) {
      throw refuse('forbidden', { detail: 'The address has expired, or is not one that was given out.' })
    }
    // Part of a file, taken for the whole, would be a damaged file.
    if (request.headers.has('content-range')) throw invalidField('Content-Range', 'is not taken: send the whole file')
    const announced = announcedBytes(request)
    if (announced !== undefined && announced > MAX_FILE_BYTES) throw tooLarge()
    if (folder.exists(id)) throw usedUp()
    const [open] = await findOpenUpload(this.#sql, id)
    // From here to the note that it runs nobody else has a turn.
    if (!open || this.#running.has(id)) throw usedUp()
    this.#demandSlot(open.org_id)
    const running = { orgId: open.org_id, sinceMs: performance.now(), receivedBytes: 0, leave: new AbortController() }
    this.#running.set(id, running)
    try {
      const signal = AbortSignal.any([
        request.signal,
        running.leave.signal,
        AbortSignal.timeout(UPLOAD_LIMITS.transferMs),
      ])
      const chunks = readWithIdleTimeout(request.body ?? new Blob([]).stream(), {
        signal,
        idleMs: UPLOAD_LIMITS.idleMs,
      })
      const onProgress = (receivedBytes: number) => {
        running.receivedBytes = receivedBytes
      }
      await folder.put(id, chunks, { maxBytes: MAX_FILE_BYTES, expectedBytes: announced, signal, onProgress })
    } catch (error) {
      throw refusalOf(error)
    } finally {
      this.#running.delete(id)
    }
  }

  /** Where all places are taken, the slowest of those who have many gives way: whatever it sent is sent again. */
  #demandSlot(orgId: string): void {
    const all = [...this.#running.values()].filter(({ leave }) => !leave.signal.aborted)
    const own = all.filter((other) => other.orgId === orgId).length
    if (own >= UPLOAD_LIMITS.maxTransfersOfOne) throw unavailable(TOO_MANY)
    if (all.length < UPLOAD_LIMITS.maxTransfers) return
    const nowMs = performance.now()
    const slowest = slowestOf(
      all.map((running) => ({ ...running, heldMs: nowMs - running.sinceMs })),
      orgId,
    )
    if (!slowest) throw unavailable(TOO_MANY)
    slowest.leave.abort(unavailable('Too many uploads at once, and this one was the slowest; send it again.'))
  }
}

const TOO_MANY = 'Too many uploads at once.'

function announcedBytes({ headers }: Request): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
}

const usedUp = () => refuse('conflict', { detail: 'The upload has its bytes already, or its time is over.' })
const tooLarge = () => refuse('payload_too_large', { detail: `A file may have at most ${MAX_FILE_BYTES} bytes.` })
const cutShort = () => invalidField('body', 'was cut short')

function refusalOf(error: unknown): unknown {
  if (error instanceof TooLarge) return tooLarge()
  if (error instanceof AlreadyStored) return usedUp()
  if (error instanceof IdleTimeout || isTimeout(error)) return invalidField('body', 'was not sent in time')
  if (error instanceof LengthMismatch || isHangUp(error)) return cutShort()
  return error
}

const isTimeout = (error: unknown) => (error as { name?: unknown } | null)?.name === 'TimeoutError'
const isHangUp = (error: unknown) =>
  ['AbortError', 'ConnectionClosed'].includes(String((error as { name?: unknown } | null)?.name)) ||
  (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE'
