import { Refusal, unavailable } from '../errors/refusal.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const AWAY = new Set(['EACCES', 'EIO', 'EMFILE', 'ENFILE', 'ENOTCONN', 'ENOTDIR', 'EPERM', 'EROFS', 'ESTALE'])

/** The 503 that the client gets. The operator is told why in a line of the log, which shows messages and causes. */
export class StorageFailure extends Refusal {
  constructor(detail: string, cause?: unknown) {
    const { headers } = unavailable()
    super('unavailable', { detail, ...(headers ? { headers } : {}) })
    this.name = 'StorageFailure'
    this.message = detail
    this.cause = cause
  }
}

/** A disk that is full or away is a 503 with the reason; anything else stays what it is. */
export function storageFailure(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  if (FULL.has(code)) return new StorageFailure('The file store is full.', error)
  if (AWAY.has(code)) return new StorageFailure('The file store does not answer.', error)
  return error
}
