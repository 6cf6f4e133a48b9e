import { Refusal } from '../../../kit/errors/refusal.ts'

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const UNAVAILABLE = new Set(['EACCES', 'EIO', 'EMFILE', 'ENFILE', 'ENOTCONN', 'ENOTDIR', 'EPERM', 'EROFS', 'ESTALE'])

/** A 503 for the client, with the cause for the operator's log. */
export class StorageFailure extends Refusal {
  constructor(detail: string, cause?: unknown) {
    super('unavailable', { detail, headers: { 'retry-after': '1' }, cause, dependency: 'file store' })
    this.name = 'StorageFailure'
    this.message = detail
  }
}

/** An object that was truncated or changed in the store. Unlike other failures it does not end by itself. */
export class DamagedObject extends StorageFailure {
  constructor() {
    super('An object of the file store is damaged.')
    this.name = 'DamagedObject'
  }
}

/** Maps file system errors of a full or unavailable disk to a 503; returns every other error unchanged. */
export function storageFailure(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  if (DISK_FULL.has(code)) return new StorageFailure('The file store is full.', error)
  if (UNAVAILABLE.has(code)) return new StorageFailure('The file store is not available.', error)
  return error
}
