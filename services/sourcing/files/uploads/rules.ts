import { bytesPerSecond, slowestOf, type Transfer } from '../jobs/rules.ts'

export const UPLOAD_LIMITS = {
  /** An upload URL and its upload expire after this. */
  lifetimeMs: 24 * 60 * 60 * 1000,
  /** Maximum duration of the PUT. */
  transferMs: 60 * 60 * 1000,
  /** The longest pause of the sender. */
  idleMs: 30_000,
  /** Concurrent transfers of one process. */
  maxTransfers: 64,
  /** Concurrent transfers of one organization. */
  maxTransfersPerTenant: 32,
  /** A transfer is not preempted before this. */
  graceMs: 5_000,
  /** Below this average, in bytes per second, a transfer is slow: 512 MiB would take longer than `transferMs`. */
  slowBelowBytesPerSecond: 128 * 1024,
  /** Rows are deleted this long after they expire; until then a repeated use is 409 instead of 400. */
  retentionMs: 30 * 24 * 60 * 60 * 1000,
}

export interface UploadQuota {
  /** Uploads of one organization that are not attached to a part. */
  maxOpenUploads: number
}

export const mayCreateUpload = (openUploads: number, { maxOpenUploads }: UploadQuota) => openUploads < maxOpenUploads

export interface TenantTransfer extends Transfer {
  orgId: string
}

/**
 * The transfer to preempt for a new one of `orgId`: the slowest of the organizations that have more transfers than
 * `orgId` would have. Undefined if none of them is slow.
 */
export function transferToPreempt<T extends TenantTransfer>(transfers: readonly T[], orgId: string): T | undefined {
  const counts = new Map<string, number>()
  for (const transfer of transfers) counts.set(transfer.orgId, (counts.get(transfer.orgId) ?? 0) + 1)
  const countAfter = (counts.get(orgId) ?? 0) + 1
  const isCandidate = (transfer: T) =>
    (counts.get(transfer.orgId) ?? 0) > countAfter && bytesPerSecond(transfer) < UPLOAD_LIMITS.slowBelowBytesPerSecond
  return slowestOf(transfers.filter(isCandidate), UPLOAD_LIMITS.graceMs)
}
