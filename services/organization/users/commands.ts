import { timeAfter } from '../../../proto/durations.ts'
import type * as api from '../../../proto/http/organization/users.ts'
import type { CreatedUser, User } from '../../../proto/http/organization/users.ts'
import { noSuch } from '../../../proto/messages.ts'
import { USER } from '../../../proto/states/users.ts'
import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { Impersonate } from '../../kit/audit/context.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { refuseTaken } from '../../kit/db/failures.ts'
import { fold } from '../../kit/db/fold.ts'
import { newId } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalidField, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { requireHeldPermissions, requireNoHigherPermissions } from '../authority/authority.ts'
import { emitSessionsVoid, emitUserChanged } from '../authority/events.ts'
import { originOf, requireShortLineage } from '../authority/lineage.ts'
import { findUser } from '../authority/queries.ts'
import type { Lineage } from '../authority/rules.ts'
import type { MailLinks } from '../mail/links.ts'
import { voidConfirmation } from '../notification-settings/queries.ts'
import { findRoles, grantRoleTo } from '../roles/queries.ts'
import {
  deleteActivations,
  deleteIdentityLinks,
  findUserByEmail,
  findUserDocument,
  insertActivation,
  insertUser,
  updatePerson,
  voidCredentials,
} from './queries.ts'
import { ACTIVATION_MS, GUARDS, stateOf, viewerOf } from './rules.ts'

export interface LinkDeps {
  /** Base URL of activation links. */
  publicUrl: string
  /** Sends the links that are not in the response. */
  links: MailLinks
}

export interface NewUser {
  email: string
  givenName: string
  familyName: string
  phone?: string | null
}

export interface InvitedUser {
  userId: string
  /** Single-use token with which the user chooses a password. */
  activationToken: string
}

const activationUrl = (publicUrl: string, token: string) => `${publicUrl}/activate#${token}`

/** Creates an active user without a password. The activation link, which sets it, is in the response or is mailed. */
export async function createUser(
  deps: LinkDeps,
  { tx, caller, body, now, audit }: CommandOf<typeof api.createUser>,
): Promise<CreatedUser> {
  const { orgId } = caller
  const roleIds = [...new Set(body.roleIds ?? [])]
  await requireGrantable(tx, caller, body.roleIds ?? [])
  const { userId, activationToken } = await addUser(tx, orgId, body, {
    now,
    createdBy: caller.userId,
    lineage: requireShortLineage((await originOf(tx, caller, now)).lineage),
  })
  for (const roleId of roleIds) await grantRoleTo(tx, { orgId, userIds: [userId], roleId })
  audit.add({ userId })
  const { document } = found(await findUserDocument(tx, viewerOf(caller), userId))
  const link = { kind: 'INVITATION', orgId, userId, token: activationToken } as const
  return { ...(JSON.parse(document) as User), ...(await deliverLink(tx, deps, link, body.mail, now)) }
}

interface ActivationLink {
  kind: 'INVITATION' | 'RESET'
  orgId: string
  userId: string
  token: string
}

/** The link for the response, or nothing where it is mailed to the user. */
export async function deliverLink(
  tx: Tx,
  { publicUrl, links }: LinkDeps,
  link: ActivationLink,
  mail: boolean | undefined,
  now: string,
): Promise<{ activationUrl?: string }> {
  if (!mail) return { activationUrl: activationUrl(publicUrl, link.token) }
  const { email } = found(await findUser(tx, link.orgId, link.userId))
  await links.send(tx, { ...link, email }, now)
  return {}
}

/** Every role must belong to the organization, and the caller must hold its permissions. */
export async function requireGrantable(
  tx: Tx,
  caller: Caller,
  roleIds: readonly string[],
  fieldOf = (_id: string, index: number) => `roleIds.${index}`,
): Promise<void> {
  if (roleIds.length === 0) return
  const roles = await findRoles(tx, caller.orgId, roleIds)
  requireHeldPermissions(
    caller,
    roles.flatMap(({ permissions }) => permissions),
  )
  const known = new Set(roles.map(({ id }) => id))
  const problems = roleIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: fieldOf(id, index), message: noSuch('role', id, 'in your organization') }],
  )
  requireValid(problems)
}

/** Changes the personal data of a user whose permissions the caller holds. A patch without a change emits no event. */
export async function patchUser({
  tx,
  caller,
  params: { id },
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchUser>): Promise<JsonText> {
  const { orgId } = caller
  const user = await requireUser(tx, caller, id)
  const [current] = await findUserDocument(tx, viewerOf(caller), id)
  requireMatch(ifMatch, current?.document ?? '')
  await requireGuards(USER, 'patch', stateOf(user), {
    guards: GUARDS,
    facts: () => ({ kind: user.kind, advice: 'Change it at /flows/v1/service-accounts.' }),
  })
  const email = body.email === undefined ? undefined : requireEmailAddress(body.email, 'email')
  const [changed] = await updatePerson(tx, orgId, id, { ...body, email }, now).catch(refuseTakenEmail('email'))
  if (!changed) return visibleUser(tx, caller, id)
  // A link that was sent to the former address must not work for its owner.
  if (email !== undefined && fold(email) !== fold(user.email)) {
    await deleteActivations(tx, id)
    await voidConfirmation(tx, id)
  }
  await emitUserChanged(tx, orgId, id)
  return visibleUser(tx, caller, id)
}

/** A user whose permissions the caller holds. The organization is locked, so the user does not change. */
export async function requireUser(tx: Tx, caller: Caller, id: string) {
  const user = found(await findUser(tx, caller.orgId, id))
  return { ...user, permissions: await requireNoHigherPermissions(tx, caller, id) }
}

/** The public document of the user, with the fields that the caller may see. */
export async function visibleUser(tx: Tx, caller: Caller, id: string): Promise<JsonText> {
  return new JsonText(found(await findUserDocument(tx, viewerOf(caller), id)).document)
}

/** Resets the password of a user on behalf of the platform operator. */
export function resetPassword(sql: Pool, email: string, impersonate: Impersonate, now: string): Promise<InvitedUser> {
  return runWithoutCaller(sql, { procedure: 'user.resetPassword' }, async (tx, audit) => {
    const { id: userId, org_id: orgId } = found(await findUserByEmail(tx, emailSpelling(email)))
    const activationToken = await resetCredentials(tx, orgId, userId, { now, createdBy: null })
    audit.actBy({ userId, orgId, grantId: await impersonate(tx, { orgId, userId }, now) })
    audit.add({ id: userId })
    return { userId, activationToken }
  })
}

/** Voids the password and the sessions of a user, and what an identity provider knows the user by. */
export async function voidSignIn(tx: Tx, orgId: string, userId: string, now: string): Promise<void> {
  const [{ session_version: sessionVersion }] = await voidCredentials(tx, userId, now)
  await deleteIdentityLinks(tx, orgId, userId)
  await emitSessionsVoid(tx, 'organization.user.credentialsReset', { userId, orgId, sessionVersion })
}

/** Voids the password, the sessions and earlier links. Returns the token of a new link. */
export async function resetCredentials(
  tx: Tx,
  orgId: string,
  userId: string,
  { now, createdBy }: { now: string; createdBy: string | null },
): Promise<string> {
  const [{ session_version: sessionVersion }] = await voidCredentials(tx, userId, now)
  const activationToken = await addActivation(tx, userId, { now, createdBy })
  await emitSessionsVoid(tx, 'organization.user.credentialsReset', { userId, orgId, sessionVersion })
  return activationToken
}

/** Adds a user with an activation link. `field` is the request field of the e-mail address. */
export async function addUser(
  tx: Tx,
  orgId: string,
  { email, givenName, familyName, phone = null }: NewUser,
  {
    now,
    createdBy,
    lineage = {},
    field = 'email',
  }: { now: string; createdBy: string | null; lineage?: Lineage; field?: string },
): Promise<InvitedUser> {
  const userId = await addPerson(tx, orgId, { email, givenName, familyName, phone }, { now, lineage, field })
  return { userId, activationToken: await addActivation(tx, userId, { now, createdBy }) }
}

/** Adds a user who has no password and no link. Returns the id. */
export async function addPerson(
  tx: Tx,
  orgId: string,
  { email, givenName, familyName, phone = null }: NewUser,
  { now, lineage, field = 'email' }: { now: string; lineage: Lineage; field?: string },
): Promise<string> {
  const id = newId('user')
  const person = { email: requireEmailAddress(email, field), givenName, familyName, phone, lineage }
  await insertUser(tx, { ...person, id, orgId }, now).catch(refuseTakenEmail(field))
  await emitUserChanged(tx, orgId, id)
  return id
}

function requireEmailAddress(email: string, field: string): string {
  const address = emailAddressOf(email)
  if (address === undefined) throw invalidField(field, 'is not an e-mail address')
  return address
}

const refuseTakenEmail = (field: string) =>
  refuseTaken('users_email', () => refuse('email_taken', { errors: [{ field, message: 'is taken' }] }))

/** Adds an activation link, which replaces earlier links of the user. */
async function addActivation(
  tx: Tx,
  userId: string,
  { now, createdBy }: { now: string; createdBy: string | null },
): Promise<string> {
  await deleteActivations(tx, userId)
  const { token, hash } = newSecretToken()
  const expiresAt = timeAfter(now, ACTIVATION_MS)
  await insertActivation(tx, { hash, userId, createdBy, expiresAt }, now)
  return token
}
