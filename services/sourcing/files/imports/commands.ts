import type { Static } from '@sinclair/typebox'
import { timeAfter } from '../../../../proto/durations.ts'
import type * as api from '../../../../proto/http/sourcing/imports.ts'
import type { Import, PartFileImport } from '../../../../proto/http/sourcing/imports.ts'
import { FILE_IMPORT } from '../../../../proto/states/files.ts'
import type { CommandOf } from '../../../kit/command/command.ts'
import type { Sql } from '../../../kit/db/client.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { SecretBox } from '../../../kit/secrets/box.ts'
import { startJob } from '../../../kit/worker/job-queries.ts'
import { lockOwnPart } from '../../parts/queries.ts'
import { recordFilesChange, requireWithinLimits } from '../commands.ts'
import { insertImport } from '../jobs/queries.ts'
import { IMPORT, JOB_LIMITS } from '../jobs/rules.ts'
import { insertFile } from '../queries.ts'
import type { StorageQuota } from '../rules.ts'
import { findImport } from './queries.ts'

export interface ImportDeps {
  quota: StorageQuota
  box: SecretBox
}

/** Adds a PENDING file, whose bytes a worker fetches. The URL is stored encrypted until the import ends. */
export async function importFile(
  { quota, box }: ImportDeps,
  {
    tx,
    caller: { orgId },
    params: { partId },
    body: { name, group, sasUrl },
    now,
    audit,
  }: CommandOf<typeof api.importPartFile>,
): Promise<Static<typeof PartFileImport>> {
  found(await lockOwnPart(tx, orgId, partId))
  const fileId = newIdAt('file', now)
  audit.add({ fileId })
  const withoutBytes = { reason: null, objectKey: null, info: null, countedBytes: 0 }
  const place = { partId, group }
  const file = { id: fileId, place, orgId, name, public: false, state: FILE_IMPORT.initial, ...withoutBytes }
  await insertFile(tx, file, now)
  await insertImport(tx, fileId)
  const data = { encryptedUrl: await box.encrypt(sasUrl) }
  const expiresAt = timeAfter(now, JOB_LIMITS.importLifetimeMs)
  await startJob(tx, { kind: IMPORT, id: fileId, tenantId: orgId, data, expiresAt }, now)
  await requireWithinLimits(tx, quota, orgId, partId, 1)
  await recordFilesChange(tx, { partId, orgId }, now)
  return { fileId }
}

/** The state and progress of an import of the organization. */
export async function importOf(sql: Sql, orgId: string, fileId: string): Promise<Import> {
  const { state, reason, received_bytes, total_bytes } = found(await findImport(sql, orgId, fileId))
  return {
    fileId,
    state,
    receivedBytes: Number(received_bytes),
    ...(total_bytes === null ? {} : { totalBytes: Number(total_bytes) }),
    ...(reason === null ? {} : { reason }),
  }
}
