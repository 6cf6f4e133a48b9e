import type * as api from '../../../proto/http/organization/scim.ts'
import { MAX_SCIM_SHOWN_MEMBERS } from '../../../proto/http/organization/scim.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import { requireSameTag } from '../../kit/http/entity-tags.ts'
import { requireHeldPermissions } from '../authority/authority.ts'
import { createRole, deleteRole, grantTo, patchRole, withdrawFrom } from '../roles/commands.ts'
import { bodyOf } from './attributes.ts'
import { type GroupAttributes, groupAttributesOf, isId, type MemberChange } from './group-attributes.ts'
import { assignmentsOf, changesOf } from './patches.ts'
import { wrong, wrongValue } from './problems.ts'
import * as queries from './queries.ts'
import { groupResource, groupVersion, type Resource, resourceText } from './resources.ts'
import { refuseTakenExternalId } from './users.ts'

interface GroupDeps {
  publicUrl: string
}

/** An entry of the audit log has at most so many ids, and the number of the others. */
const MAX_LOGGED = 100
const logged = (ids: readonly string[]) =>
  ids.length <= MAX_LOGGED ? ids : [...ids.slice(0, MAX_LOGGED), `and ${ids.length - MAX_LOGGED} more`]

/** The groups with their members, which are as many as a response can have. */
export async function groupResources(
  sql: Sql,
  orgId: string,
  rows: readonly queries.GroupRow[],
  { publicUrl, showsMembers }: { publicUrl: string; showsMembers: boolean },
): Promise<Resource[]> {
  if (!showsMembers) return rows.map((row) => groupResource(row, undefined, publicUrl))
  const ids = rows.map(({ id }) => id)
  const members = await queries.listMembers(sql, orgId, ids, MAX_SCIM_SHOWN_MEMBERS + 1)
  if (members.length > MAX_SCIM_SHOWN_MEMBERS) {
    const message = `are more than ${MAX_SCIM_SHOWN_MEMBERS}: ask with excludedAttributes=members`
    throw wrong('tooMany', 'members', message)
  }
  const byRole = Map.groupBy(members, (member) => member.role_id)
  return rows.map((row) => groupResource(row, byRole.get(row.id) ?? [], publicUrl))
}

/** Creates a role without permissions, which an administrator adds. */
export async function createGroup(
  { publicUrl }: GroupDeps,
  call: CommandOf<typeof api.createScimGroup>,
): Promise<JsonText> {
  const { tx, caller, audit } = call
  const { displayName, externalId, members } = attributesIn(call.body)
  if (displayName === undefined) throw wrongValue('displayName', 'is required')
  const added = await requireManaged(tx, caller.orgId, members?.added)
  const role = await createRole({ ...call, body: { name: displayName, permissions: [] } })
  if (externalId) await setExternalId(tx, caller.orgId, role.id, externalId)
  const grantedUserIds = await grantTo(tx, {
    orgId: caller.orgId,
    role: { id: role.id, permissions: [] },
    userIds: added,
  })
  audit.add({ name: role.name, grantedUserIds: logged(grantedUserIds) })
  return resourceOf(tx, caller.orgId, role.id, publicUrl)
}

/** Replaces what the body names. Members that it does not name are kept only where it has no `members`. */
export async function replaceGroup(
  { publicUrl }: GroupDeps,
  call: CommandOf<typeof api.replaceScimGroup>,
): Promise<JsonText> {
  const said = attributesIn(call.body)
  if (said.displayName === undefined) throw wrongValue('displayName', 'is required')
  const id = await changeGroup(call, said)
  return resourceOf(call.tx, call.caller.orgId, id, publicUrl)
}

/** No content, because a group can have many members. */
export async function patchGroup(call: CommandOf<typeof api.patchScimGroup>): Promise<undefined> {
  await changeGroup(call, groupAttributesOf(changesOf(call.body)))
  return undefined
}

const attributesIn = (body: Record<string, unknown>): GroupAttributes => {
  bodyOf(body)
  return groupAttributesOf(assignmentsOf(body, 'replace'))
}

/** A change by the commands of roles, which hold its rules: the permissions of the role, and who must remain. */
async function changeGroup(
  call: CommandOf<typeof api.patchScimGroup>,
  { displayName, externalId, members }: GroupAttributes,
): Promise<string> {
  const { tx, caller, ifMatch, audit } = call
  const { orgId } = caller
  const row = found(await queries.findGroup(tx, orgId, call.params.id))
  const { id, permissions } = row
  requireHeldPermissions(caller, permissions)
  const added = await requireManaged(tx, orgId, members?.added)
  requireSameTag(ifMatch, groupVersion(row))
  const isRenamed = displayName !== undefined && displayName !== row.name
  if (isRenamed) await patchRole({ ...call, ifMatch: undefined, body: { name: displayName } })
  const isLinked = externalId !== undefined && externalId !== row.external_id
  if (isLinked) await setExternalId(tx, orgId, id, externalId)
  const role = { id, permissions }
  const leaving = members ? await leavingOf(tx, orgId, id, members) : []
  // Joining members come first, so that a group of administrators can exchange all of its members.
  const grantedUserIds = await grantTo(tx, { orgId, role, userIds: added })
  const withdrawnUserIds = await withdrawFrom(tx, { orgId, role, userIds: leaving })
  audit.add({
    fields: [...(isRenamed ? ['displayName'] : []), ...(isLinked ? ['externalId'] : [])],
    grantedUserIds: logged(grantedUserIds),
    withdrawnUserIds: logged(withdrawnUserIds),
  })
  return id
}

/** The members who leave. Service accounts and people of other domains are no members, so they keep the role. */
async function leavingOf(tx: Tx, orgId: string, roleId: string, { replaces, added, removed }: MemberChange) {
  const rows = replaces
    ? await queries.listOtherMembers(tx, orgId, roleId, [...added].filter(isId))
    : await queries.listManaged(tx, orgId, [...removed].filter(isId))
  return rows.map(({ id }) => id)
}

/** Requires that SCIM manages each of these users. Unknown and foreign ids get the same response. */
async function requireManaged(tx: Tx, orgId: string, ids: ReadonlySet<string> = new Set()): Promise<string[]> {
  const managed = new Set((await queries.listManaged(tx, orgId, [...ids].filter(isId))).map(({ id }) => id))
  const unknown = [...ids].find((id) => !managed.has(id))
  if (unknown !== undefined) throw wrongValue('members.value', noSuch('user', unknown, 'in your organization'))
  return [...managed]
}

/** Deletes a custom role that no user holds. */
export async function deleteGroup(call: CommandOf<typeof api.deleteScimGroup>): Promise<undefined> {
  const { tx, caller, ifMatch } = call
  const row = found(await queries.findGroup(tx, caller.orgId, call.params.id))
  requireHeldPermissions(caller, row.permissions)
  requireSameTag(ifMatch, groupVersion(row))
  return deleteRole(call)
}

const setExternalId = (tx: Tx, orgId: string, id: string, externalId: string | null) =>
  queries.setExternalIdOfRole(tx, orgId, id, externalId).catch(refuseTakenExternalId('roles_external_id'))

async function resourceOf(sql: Sql, orgId: string, id: string, publicUrl: string): Promise<JsonText> {
  const row = found(await queries.findGroup(sql, orgId, id))
  // A replacement without members can leave more of them than a response has.
  const members = await queries.listMembers(sql, orgId, [id], MAX_SCIM_SHOWN_MEMBERS + 1)
  const shown = members.length > MAX_SCIM_SHOWN_MEMBERS ? undefined : members
  return resourceText(groupResource(row, shown, publicUrl))
}
