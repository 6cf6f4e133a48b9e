import type * as api from '../../../proto/http/organization/service-accounts.ts'
import { MAX_SERVICE_ACCOUNTS, type ServiceAccount } from '../../../proto/http/organization/service-accounts.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, requireRoomFor } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { requireNoHigherPermissions } from '../authority/authority.ts'
import { emitUserChanged } from '../authority/events.ts'
import { originOf, requireShortLineage } from '../authority/lineage.ts'
import { grantRoleTo } from '../roles/queries.ts'
import { type LinkDeps, requireGrantable } from '../users/commands.ts'
import * as queries from './queries.ts'
import { emailOf } from './shapes.ts'

/** Creates an active service account without a key. */
export async function createAccount(
  { publicUrl }: LinkDeps,
  { tx, caller, body, now, audit }: CommandOf<typeof api.createServiceAccount>,
): Promise<ServiceAccount> {
  const { orgId } = caller
  const { name, description, roleIds = [] } = body
  await requireGrantable(tx, caller, roleIds)
  requireRoomFor('service accounts', MAX_SERVICE_ACCOUNTS, await queries.countAccounts(tx, orgId))
  const id = newIdAt('user', now)
  const lineage = requireShortLineage((await originOf(tx, caller, now)).lineage)
  await queries.insertAccount(tx, { id, orgId, email: emailOf(id, publicUrl), name, description, lineage }, now)
  for (const roleId of new Set(roleIds)) await grantRoleTo(tx, { orgId, userIds: [id], roleId })
  audit.add({ serviceAccountId: id })
  await emitUserChanged(tx, orgId, id)
  return withoutNulls(found(await queries.findAccount(tx, orgId, id)))
}

/** Changes name and description of a service account whose permissions the caller holds. */
export async function patchAccount({
  tx,
  caller,
  params: { id },
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchServiceAccount>): Promise<ServiceAccount> {
  const { orgId } = caller
  const account = found(await queries.findAccount(tx, orgId, id))
  await requireNoHigherPermissions(tx, caller, id)
  requireMatch(ifMatch, withoutNulls(account))
  const { name = account.name, description = account.description } = body
  if (name === account.name && description === account.description) return withoutNulls(account)
  const [changed] = await queries.updateAccount(tx, { orgId, id, name, description }, now)
  await emitUserChanged(tx, orgId, id)
  return withoutNulls(changed)
}
