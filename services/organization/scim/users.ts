import type * as api from '../../../proto/http/organization/scim.ts'
import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { refuseTaken } from '../../kit/db/failures.ts'
import { fold } from '../../kit/db/fold.ts'
import type { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireSameTag } from '../../kit/http/entity-tags.ts'
import { originOf, requireShortLineage } from '../authority/lineage.ts'
import { domainOfEmail } from '../identity-providers/domains.ts'
import { grantRoleTo } from '../roles/queries.ts'
import { nameOf } from '../sso/rules.ts'
import { addPerson, patchUser, requireGrantable, requireUser, voidSignIn } from '../users/commands.ts'
import { activateUser, deactivateUser, type UserFollowers } from '../users/state-changes.ts'
import { bodyOf } from './attributes.ts'
import { assignmentsOf, changesOf } from './patches.ts'
import { wrongValue } from './problems.ts'
import * as queries from './queries.ts'
import { resourceText, userResource, userVersion } from './resources.ts'
import { type UserAttributes, userAttributesOf } from './user-attributes.ts'

export interface ScimDeps {
  publicUrl: string
  followers: UserFollowers
}

const localPartOf = (email: string) => email.slice(0, email.lastIndexOf('@'))

/** The address as it is stored, in a domain that the organization has proved, and the roles of its provider. */
async function requireProvedAddress(tx: Tx, orgId: string, text: string) {
  const email = emailAddressOf(text)
  if (email === undefined) throw wrongValue('userName', 'is not an e-mail address')
  const [domain] = await queries.findProvedDomain(tx, orgId, domainOfEmail(email))
  if (!domain) throw wrongValue('userName', 'must be in a domain that your organization has proved')
  return { email, defaultRoleIds: domain.default_role_ids }
}

/** Creates a user without password or link, who signs in by the provider of the domain and has its default roles. */
export async function createUser(
  { publicUrl, followers }: ScimDeps,
  call: CommandOf<typeof api.createScimUser>,
): Promise<JsonText> {
  const { tx, caller, body, now, audit } = call
  const { orgId } = caller
  const said = attributesIn(body)
  const address = said.userName ?? said.email
  if (address === undefined) throw wrongValue('userName', 'is required')
  const { email, defaultRoleIds: roleIds } = await requireProvedAddress(tx, orgId, address)
  await requireGrantable(tx, caller, roleIds)
  const local = localPartOf(email)
  const names = {
    givenName: nameOf(said.givenName ?? undefined, local),
    familyName: nameOf(said.familyName ?? undefined, local),
  }
  const lineage = requireShortLineage((await originOf(tx, caller, now)).lineage)
  const id = await addPerson(tx, orgId, { email, ...names }, { now, lineage, field: 'userName' })
  for (const roleId of roleIds) await grantRoleTo(tx, { orgId, userIds: [id], roleId })
  if (said.externalId) await setExternalId(tx, orgId, id, said.externalId, now)
  if (said.active === false) await deactivateUser({ followers }, { ...call, params: { id }, body: undefined })
  audit.add({ userId: id, roleIds })
  return resourceOf(tx, orgId, id, publicUrl)
}

/** Replaces what the body names. Other attributes are kept. */
export const replaceUser = (deps: ScimDeps, call: CommandOf<typeof api.replaceScimUser>): Promise<JsonText> => {
  const said = attributesIn(call.body)
  if (said.userName === undefined) throw wrongValue('userName', 'is required')
  return changeUser(deps, call, said)
}

export const patchUserAttributes = (deps: ScimDeps, call: CommandOf<typeof api.patchScimUser>): Promise<JsonText> =>
  changeUser(deps, call, userAttributesOf(changesOf(call.body)))

const attributesIn = (body: Record<string, unknown>): UserAttributes => {
  bodyOf(body)
  return userAttributesOf(assignmentsOf(body, 'replace'))
}

/** A change by the commands of users, which hold its rules: the permissions of the user, and who must remain. */
async function changeUser(
  { publicUrl, followers }: ScimDeps,
  call: CommandOf<typeof api.patchScimUser>,
  said: UserAttributes,
): Promise<JsonText> {
  const { tx, caller, ifMatch, now, audit } = call
  const { orgId } = caller
  const row = found(await queries.findUser(tx, orgId, call.params.id))
  const { id } = row
  await requireUser(tx, caller, id)
  const body = await personIn(tx, orgId, row, said)
  requireSameTag(ifMatch, userVersion(row))
  const of = { ...call, params: { id }, ifMatch: undefined }
  if (Object.keys(body).length > 0) await patchUser({ ...of, body })
  // The person of the new address may be another one, who gets roles by it.
  if (body.email !== undefined) await voidSignIn(tx, orgId, id, now)
  const { externalId = row.external_id, active = row.active } = said
  if (externalId !== row.external_id) await setExternalId(tx, orgId, id, externalId, now)
  if (active && !row.active) await activateUser({ ...of, body: undefined })
  if (!active && row.active) await deactivateUser({ followers }, { ...of, body: undefined })
  audit.add({ fields: [...Object.keys(body), ...changedIn(row, { externalId, active })] })
  return resourceOf(tx, orgId, id, publicUrl)
}

const changedIn = (row: queries.UserRow, { externalId, active }: { externalId: string | null; active: boolean }) => [
  ...(externalId === row.external_id ? [] : ['externalId']),
  ...(active === row.active ? [] : [active ? 'activate' : 'deactivate']),
]

/** The personal data that change. The address stays in a proved domain. */
async function personIn(tx: Tx, orgId: string, row: queries.UserRow, said: UserAttributes) {
  const asked = said.userName ?? said.email
  const isSame = asked === undefined || fold(emailAddressOf(asked) ?? '') === fold(row.email)
  const email = isSame ? row.email : (await requireProvedAddress(tx, orgId, asked)).email
  const local = localPartOf(email)
  const nameIn = (name: string | null | undefined, present: string) =>
    name === undefined ? present : nameOf(name ?? undefined, local)
  const person = {
    email,
    givenName: nameIn(said.givenName, row.given_name),
    familyName: nameIn(said.familyName, row.family_name),
  }
  const present = { email: row.email, givenName: row.given_name, familyName: row.family_name }
  return Object.fromEntries(
    Object.entries(person).filter(([name, value]) => value !== present[name as keyof typeof present]),
  ) as Partial<typeof person>
}

/** Deactivates the user, who stays in the directory. A repetition changes nothing. */
export async function deleteUser(
  { followers }: ScimDeps,
  call: CommandOf<typeof api.deleteScimUser>,
): Promise<undefined> {
  const { tx, caller, ifMatch } = call
  const row = found(await queries.findUser(tx, caller.orgId, call.params.id))
  await requireUser(tx, caller, row.id)
  requireSameTag(ifMatch, userVersion(row))
  if (row.active) await deactivateUser({ followers }, call)
  return undefined
}

const setExternalId = (tx: Tx, orgId: string, id: string, externalId: string | null, now: string) =>
  queries.setExternalIdOfUser(tx, orgId, id, externalId, now).catch(refuseTakenExternalId('users_external_id'))

export const refuseTakenExternalId = (index: string) =>
  refuseTaken(index, () =>
    refuse('conflict', { errors: [{ field: 'externalId', message: 'is taken' }], scimType: 'uniqueness' }),
  )

async function resourceOf(sql: Sql, orgId: string, id: string, publicUrl: string): Promise<JsonText> {
  return resourceText(userResource(found(await queries.findUser(sql, orgId, id)), publicUrl))
}
