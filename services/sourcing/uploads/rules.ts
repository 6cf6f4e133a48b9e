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
  /** How long the row of an upload outlives it, to tell what happened to it. */
  keptMs: 30 * 24 * 60 * 60 * 1000,
}

export interface UploadQuota {
  /** Uploads of one organization that wait for their part. */
  maxOpenUploads: number
}

export const hasRoomForUpload = (openUploads: number, { maxOpenUploads }: UploadQuota) => openUploads < maxOpenUploads
