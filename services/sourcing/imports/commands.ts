import type { Static } from '@sinclair/typebox'
import type { Import, ImportFileInput, ImportPartFileResponse } from '../../../proto/http/sourcing/imports.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { type FileDeps, recordFilesChange, requireWithinLimits } from '../files/commands.ts'
import { insertFile, lockOwnPart } from '../files/queries.ts'
import { insertImport } from '../jobs/queries.ts'
import { findOwnPart } from '../parts/queries.ts'
import { findImport } from './queries.ts'

export interface ImportDeps extends Pick<FileDeps, 'sql' | 'clock' | 'quota' | 'onPending'> {
  box: SecretBox
}

interface ImportFile {
  caller: Caller
  begin: BeginCommand
  partId: string
  body: ImportFileInput
  audit: AuditContext
}

/** Adds a PENDING file to an own part; a worker fetches its bytes. The URL is stored encrypted until the import ends. */
export async function importFile(
  { sql, clock, quota, onPending, box }: ImportDeps,
  { caller: { orgId }, begin, partId, body, audit }: ImportFile,
): Promise<Static<typeof ImportPartFileResponse>> {
  found(await findOwnPart(sql, orgId, partId))
  const encryptedUrl = await box.encrypt(body.sasUrl)
  const now = new Date(clock()).toISOString()
  const fileId = newIdAt('file', now)
  await begin(async (tx) => {
    found(await lockOwnPart(tx, orgId, partId))
    const { name, group } = body
    const withoutBytes = { reason: null, objectKey: null, info: null, countedBytes: 0 }
    const file = { id: fileId, partId, orgId, name, group, public: false, state: 'PENDING' as const, ...withoutBytes }
    await insertFile(tx, file, now)
    await insertImport(tx, { fileId, encryptedUrl }, now)
    await requireWithinLimits(tx, quota, orgId, partId, 1)
    await recordSuccess(tx, audit)
    await recordFilesChange(tx, { partId, orgId }, now)
  })
  onPending()
  return { fileId }
}

/** The state and progress of an import of the organization. */
export async function importOf({ sql }: Pick<ImportDeps, 'sql'>, orgId: string, fileId: string): Promise<Import> {
  const { state, reason, received_bytes, total_bytes } = found(await findImport(sql, orgId, fileId))
  return {
    fileId,
    state,
    receivedBytes: Number(received_bytes),
    ...(total_bytes === null ? {} : { totalBytes: Number(total_bytes) }),
    ...(reason === null ? {} : { reason }),
  }
}
