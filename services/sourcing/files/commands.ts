import type * as api from '../../../proto/http/sourcing/files.ts'
import type { UpdateFilesRequest } from '../../../proto/http/sourcing/files.ts'
import { noSuch } from '../../../proto/messages.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { partEvent } from '../parts/events.ts'
import { findOwnPart, lockOwnPart } from '../parts/queries.ts'
import { addFile, attach, type FileDeps, findAdditions, type NamedUpload, requireWithinQuota } from './additions.ts'
import { countFiles, findFileIds, removeFiles, touchPart } from './queries.ts'
import { hasTooManyFiles, referenceProblems, type StorageQuota } from './rules.ts'

interface FoundObjects {
  uploads: NamedUpload<NonNullable<UpdateFilesRequest['add']>[number]>[]
}

/** Finds the objects of the uploads, because a transaction must not wait for the store. */
export async function findObjects(
  deps: FileDeps,
  { caller: { orgId }, params: { id: partId }, body }: PreparationOf<typeof api.updatePartFiles>,
): Promise<FoundObjects> {
  found(await findOwnPart(deps.sql, orgId, partId))
  const { add = [], remove = [] } = body
  const files = remove.length === 0 ? [] : await findFileIds(deps.sql, orgId, partId, remove)
  const fileIds = new Set(files.map(({ id }) => id))
  return { uploads: await findAdditions(deps, orgId, add, (found) => referenceProblems(body, found, fileIds)) }
}

/** Adds and removes files of an own part, all or nothing. */
export async function updateFiles(
  { quota }: FileDeps,
  {
    tx,
    caller: { orgId },
    params: { id: partId },
    body,
    uploads,
    now,
  }: CommandOf<typeof api.updatePartFiles> & FoundObjects,
): Promise<undefined> {
  // Lock order of every change: the part, then its uploads, then the organization's storage usage.
  found(await lockOwnPart(tx, orgId, partId))
  const additions = await attach(tx, orgId, uploads, now)
  await removeSent(tx, { orgId, partId, ids: body.remove ?? [] }, now)
  for (const addition of additions) {
    await addFile(tx, { orgId, place: { partId, group: addition.sent.group }, addition, now })
  }
  await requireWithinLimits(tx, quota, orgId, partId, additions.length)
  await recordFilesChange(tx, { partId, orgId }, now)
  return undefined
}

/** Removes files. The ids are validated again, because a concurrent request may have removed the files. */
async function removeSent(
  tx: Tx,
  { orgId, partId, ids }: { orgId: string; partId: string; ids: readonly string[] },
  now: string,
): Promise<void> {
  if (ids.length === 0) return
  const removed = new Set((await removeFiles(tx, { orgId, partId, ids }, now)).map(({ id }) => id))
  requireValid(
    ids.flatMap((id, index) =>
      removed.has(id) ? [] : [{ field: `remove.${index}`, message: noSuch('file', id, 'of this part') }],
    ),
  )
}

/** Throws 409 beyond a limit. It is checked after the change, so that a request may replace files at the limit. */
export async function requireWithinLimits(tx: Tx, quota: StorageQuota, orgId: string, partId: string, added: number) {
  if (added === 0) return
  const [{ files }] = await countFiles(tx, partId)
  if (hasTooManyFiles(files)) throw refuse('limit_reached', { detail: 'The part would have more than 200 files.' })
  await requireWithinQuota(tx, quota, orgId)
}

/** Updates the part and emits the event. A change of the files is a change of the part. */
export async function recordFilesChange(tx: Tx, part: { partId: string; orgId: string }, now: string): Promise<void> {
  const { partId, orgId } = part
  await touchPart(tx, partId, now)
  await emit(tx, partEvent('filesChanged', partId, orgId))
}
