import type { CreateUploadInput, Upload } from '../../../proto/http/sourcing/uploads.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import { newId } from '../../kit/db/ids.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Storage } from '../storage/storage.ts'
import { countOpenUploads, insertUpload, lockQuota } from './queries.ts'
import { mayCreateUpload, UPLOAD_LIMITS, type UploadQuota } from './rules.ts'

export interface UploadDeps {
  clock: () => number
  storage: Storage
  quota: UploadQuota
}

interface CreateUpload {
  caller: Caller
  begin: BeginCommand
  body: CreateUploadInput
  audit: AuditContext
}

/** Creates an upload with a URL that expires after 24 hours. */
export async function createUpload(
  { clock, storage, quota }: UploadDeps,
  { caller: { orgId, userId }, begin, body, audit }: CreateUpload,
): Promise<Upload> {
  const now = new Date(clock())
  const expiresAt = new Date(now.getTime() + UPLOAD_LIMITS.lifeMs)
  const id = newId('upload')
  const { url, headers } = await storage.uploadUrl(id, expiresAt)
  const upload = {
    id,
    orgId,
    userId,
    name: body.name,
    public: body.public ?? false,
    expiresAt: expiresAt.toISOString(),
  }
  await begin(async (tx) => {
    await lockQuota(tx, orgId)
    const [{ open }] = await countOpenUploads(tx, orgId, now.toISOString())
    if (!mayCreateUpload(open, quota)) {
      throw refuse('limit_reached', {
        detail: `Your organization has ${open} open uploads. Add them to a part, or wait until they expire.`,
      })
    }
    await insertUpload(tx, upload, now.toISOString())
    await recordSuccess(tx, audit)
    await emit(tx, {
      type: 'sourcing.upload.created',
      tenantId: orgId,
      subject: id,
      data: { uploadId: id, orgId },
    })
  })
  return { id, uploadUrl: url, method: 'PUT', headers, expireTime: upload.expiresAt }
}
