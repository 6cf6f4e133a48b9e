import type * as api from '../../../../proto/http/sourcing/uploads.ts'
import type { Upload } from '../../../../proto/http/sourcing/uploads.ts'
import { emit } from '../../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../../kit/command/command.ts'
import { newId } from '../../../kit/db/ids.ts'
import { refuse } from '../../../kit/errors/refusal.ts'
import type { Storage } from '../storage/storage.ts'
import { countOpenUploads, insertUpload, lockQuota } from './queries.ts'
import { mayCreateUpload, UPLOAD_LIMITS, type UploadQuota } from './rules.ts'

export interface UploadDeps {
  storage: Storage
  quota: UploadQuota
}

/** Creates an upload, which expires after 24 hours; its URL may expire earlier. */
export async function createUpload(
  { storage, quota }: UploadDeps,
  { tx, caller: { orgId, userId }, body, now, audit }: CommandOf<typeof api.createUploadUrl>,
): Promise<Upload> {
  await lockQuota(tx, orgId)
  const [{ open }] = await countOpenUploads(tx, orgId, now)
  if (!mayCreateUpload(open, quota)) {
    throw refuse('limit_reached', {
      detail: `Your organization has ${open} open uploads. Add them to a record, or wait until they expire.`,
    })
  }
  const id = newId('upload')
  audit.add({ uploadId: id })
  const expiresAt = new Date(Date.parse(now) + UPLOAD_LIMITS.lifetimeMs)
  const signed = await storage.uploadUrl(id, expiresAt)
  const { name, public: isPublic = false } = body
  await insertUpload(tx, { id, orgId, userId, name, public: isPublic, expiresAt: expiresAt.toISOString() }, now)
  await emit(tx, {
    type: 'sourcing.upload.created',
    tenantId: orgId,
    subject: id,
    data: { uploadId: id, orgId },
  })
  return {
    id,
    uploadUrl: signed.url,
    method: 'PUT',
    headers: signed.headers,
    expireTime: signed.expiresAt.toISOString(),
  }
}
