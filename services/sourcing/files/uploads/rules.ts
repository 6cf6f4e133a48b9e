import { DAY_MS, HOUR_MS } from '../../../../proto/durations.ts'
export const UPLOAD_LIMITS = {
  /** An upload URL and its upload expire after this. */
  lifetimeMs: DAY_MS,
  /** Maximum duration of the PUT. */
  transferMs: HOUR_MS,
  /** The longest pause of the sender. */
  idleMs: 30_000,
  /** Concurrent transfers of one process. */
  maxTransfers: 256,
  /** Concurrent transfers of one organization in one process. */
  maxTransfersPerTenant: 32,
  /** Rows are deleted this long after they expire; until then a repeated use is 409 instead of 400. */
  retentionMs: 30 * DAY_MS,
}

export interface UploadQuota {
  /** Maximum uploads per organization that are not attached to a record. */
  maxOpenUploads: number
}

export const mayCreateUpload = (openUploads: number, { maxOpenUploads }: UploadQuota) => openUploads < maxOpenUploads
