import { bytesInASecond } from '../jobs/rules.ts'

export const UPLOAD_LIMITS = {
  /** How long an address takes bytes, and an upload may be added to a part. */
  lifeMs: 24 * 60 * 60 * 1000,
  /** How long sending the bytes may take. */
  transferMs: 60 * 60 * 1000,
  /** How long the sender may pause. */
  idleMs: 30_000,
  /** Uploads that pass through one process at once; the next one is told to come back. */
  maxTransfers: 64,
  /** Of one organization: whoever sends slowly, and often, shall not keep the others out. */
  maxTransfersOfOne: 32,
  /** How long a transfer has its place before it may have to give way. */
  graceMs: 5_000,
  /** Who has sent less than this in each second is slow: a file of 512 MiB would take longer than a transfer may. */
  slowBelowBytes: 128 * 1024,
  /** How long the row of an upload outlives it, to tell what happened to it. */
  keptMs: 30 * 24 * 60 * 60 * 1000,
}

export interface UploadQuota {
  /** Uploads of one organization that wait for their part. */
  maxOpenUploads: number
}

export const hasRoomForUpload = (openUploads: number, { maxOpenUploads }: UploadQuota) => openUploads < maxOpenUploads

/** How a transfer has used its place. */
export interface Standing {
  orgId: string
  heldMs: number
  receivedBytes: number
}

/**
 * Who gives way to a transfer of `newcomer` when all places are taken: the slowest of the organizations that have more
 * places than it would have, or nobody, where none of them is slow.
 */
export function slowestOf<S extends Standing>(transfers: readonly S[], newcomer: string): S | undefined {
  const places = new Map<string, number>()
  for (const { orgId } of transfers) places.set(orgId, (places.get(orgId) ?? 0) + 1)
  const wouldHave = (places.get(newcomer) ?? 0) + 1
  return transfers
    .filter(({ orgId, heldMs }) => (places.get(orgId) ?? 0) > wouldHave && heldMs >= UPLOAD_LIMITS.graceMs)
    .filter((transfer) => bytesInASecond(transfer) < UPLOAD_LIMITS.slowBelowBytes)
    .toSorted((a, b) => bytesInASecond(a) - bytesInASecond(b))[0]
}
