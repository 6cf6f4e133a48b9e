import type * as api from '../../../proto/http/organization/users.ts'
import { USER } from '../../../proto/states/users.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import { requireAdministratorLeft } from '../authority/authority.ts'
import { emitSessionsVoid, emitUserChanged } from '../authority/events.ts'
import { withdrawAllRoles } from '../roles/queries.ts'
import { deliverLink, type LinkDeps, requireUser, resetCredentials, visibleUser } from './commands.ts'
import { resetPasskeysOf } from './passkeys.ts'
import { activate, deactivate, deleteActivations, deleteIdentityLinks, eraseUser } from './queries.ts'
import { GUARDS, stateOf } from './rules.ts'

/** What happens in other features in the transaction of a change of users. `service.ts` provides it. */
export interface UserFollowers {
  /** Removes the mail address that the organization has of a user. */
  forgetAddress(tx: Tx, orgId: string, userId: string, now: string): PromiseLike<unknown>
  /** Erases the address and the names that other features have of a user. */
  erasePersonalData(tx: Tx, orgId: string, userId: string): Promise<unknown>
  /** Ends the keys of a service account, and those that it led to. Returns their ids. */
  endKeysOf(tx: Tx, caller: Caller, userId: string, now: string): Promise<string[]>
}

/** Activates an inactive user. The password is kept; earlier sessions stay ended. */
export async function activateUser({
  tx,
  caller,
  params: { id },
  now,
}: CommandOf<typeof api.activateUser>): Promise<JsonText> {
  requireTransition(USER, 'activate', stateOf(await requireUser(tx, caller, id)))
  found(await activate(tx, caller.orgId, id, now))
  await emitUserChanged(tx, caller.orgId, id)
  return visibleUser(tx, caller, id)
}

/** Deactivates an active user and ends all sessions. An administrator must remain. */
export async function deactivateUser(
  { followers }: { followers: UserFollowers },
  { tx, caller, params: { id }, now, audit }: CommandOf<typeof api.deactivateUser>,
): Promise<JsonText> {
  const { permissions, kind, ...user } = await requireUser(tx, caller, id)
  requireTransition(USER, 'deactivate', stateOf(user))
  const { session_version: sessionVersion } = found(await deactivate(tx, caller.orgId, id, now))
  if (permissions.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
  await emitSessionsVoid(tx, 'organization.user.deactivated', { userId: id, orgId: caller.orgId, sessionVersion })
  if (kind === 'SERVICE') audit.add({ endedKeyIds: await followers.endKeysOf(tx, caller, id, now) })
  return visibleUser(tx, caller, id)
}

/** Voids the password and all sessions, and returns or mails a new activation link. */
export async function resetUserPassword(
  deps: LinkDeps,
  { tx, caller, params: { id }, body, now }: CommandOf<typeof api.resetUserPassword>,
): Promise<{ activationUrl?: string }> {
  const user = await requireUser(tx, caller, id)
  await requireGuards(USER, 'resetPassword', stateOf(user), {
    guards: GUARDS,
    facts: () => ({ kind: user.kind, advice: 'It has keys instead of a password.' }),
  })
  const token = await resetCredentials(tx, caller.orgId, id, { now, createdBy: caller.userId })
  return deliverLink(tx, deps, { kind: 'RESET', orgId: caller.orgId, userId: id, token }, body?.mail, now)
}

/** Removes the passkeys of a person who lost them, and ends the sessions. The password stays. */
export async function resetUserPasskeys(
  { links }: Pick<LinkDeps, 'links'>,
  { tx, caller: { orgId, ...caller }, params: { id }, now, audit }: CommandOf<typeof api.resetUserPasskeys>,
): Promise<undefined> {
  const user = await requireUser(tx, { orgId, ...caller }, id)
  await requireGuards(USER, 'resetPasskeys', stateOf(user), {
    guards: GUARDS,
    facts: () => ({ kind: user.kind, advice: 'It has keys instead of passkeys.' }),
  })
  audit.add({ removed: await resetPasskeysOf(tx, links, { orgId, userId: id }, now) })
  return undefined
}

/** Erases the personal data here and, through an event, in the other services. The id remains. */
export async function anonymiseUser(
  { followers }: { followers: UserFollowers },
  { tx, caller, params: { id }, now, audit }: CommandOf<typeof api.anonymiseUser>,
): Promise<JsonText> {
  const { permissions, kind, ...user } = await requireUser(tx, caller, id)
  requireTransition(USER, 'anonymise', stateOf(user))
  await followers.forgetAddress(tx, caller.orgId, id, now)
  await followers.erasePersonalData(tx, caller.orgId, id)
  const { session_version: sessionVersion } = found(await eraseUser(tx, caller.orgId, id, now))
  if (permissions.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
  await withdrawAllRoles(tx, caller.orgId, id)
  await deleteActivations(tx, id)
  await deleteIdentityLinks(tx, caller.orgId, id)
  await emitSessionsVoid(tx, 'organization.user.anonymised', { userId: id, orgId: caller.orgId, sessionVersion })
  if (kind === 'SERVICE') audit.add({ endedKeyIds: await followers.endKeysOf(tx, caller, id, now) })
  return visibleUser(tx, caller, id)
}
