import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { JsonText } from '../../kit/db/json-text.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { requireAdministratorLeft } from '../authority/authority.ts'
import {
  activationUrl,
  type CommandDeps,
  emitUserChanged,
  lockUser,
  resetCredentials,
  visibleUser,
} from '../users/commands.ts'
import { activate, deactivate, deleteActivations, eraseUser, withdrawAllRoles } from '../users/queries.ts'

export interface ChangeState {
  caller: Caller
  params: { id: string }
  audit: AuditContext
}

/** What moves a user, and makes no link. */
type StateDeps = Pick<CommandDeps, 'sql' | 'clock'>

const isoOf = ({ clock }: StateDeps) => new Date(clock()).toISOString()

/** Inactive –activate→ active, with the password of before; sessions of before stay dead. */
export function activateUser(deps: StateDeps, { caller, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return deps.sql.begin(async (tx) => {
    await lockUser(tx, caller, id)
    if ((await activate(tx, caller.orgId, id, isoOf(deps))).length === 0) {
      throw refuse('illegal_transition', { detail: 'The user is active, or was anonymised.' })
    }
    await recordSuccess(tx, audit)
    await emitUserChanged(tx, caller.orgId, id)
    return visibleUser(tx, caller, id)
  })
}

/** Active –deactivate→ inactive: whatever the user is signed in with is dead. The last administrator stays. */
export function deactivateUser(deps: StateDeps, { caller, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return deps.sql.begin(async (tx) => {
    const now = isoOf(deps)
    const { keys } = await lockUser(tx, caller, id)
    if ((await deactivate(tx, caller.orgId, id, now)).length === 0) {
      throw refuse('illegal_transition', { detail: 'The user is inactive already.' })
    }
    if (keys.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
    await recordSuccess(tx, audit)
    await announceEnd(tx, 'organization.user.deactivated', caller.orgId, id, now)
    return visibleUser(tx, caller, id)
  })
}

/** A new link for a user who cannot sign in any more; the old password and the sessions are dead at once. */
export function resetUserPassword(deps: CommandDeps, { caller, params: { id }, audit }: ChangeState) {
  return deps.sql.begin(async (tx) => {
    const user = await lockUser(tx, caller, id)
    if (!user.active) throw refuse('illegal_transition', { detail: 'The user is inactive: activate them first.' })
    const token = await resetCredentials(tx, caller.orgId, id, { now: isoOf(deps), madeBy: caller.userId })
    await recordSuccess(tx, audit)
    return { activationUrl: activationUrl(deps.publicUrl, token) }
  })
}

/** Erases the person, here and, by an event, wherever else something of them is kept. The id and its history stay. */
export function anonymiseUser(deps: StateDeps, { caller, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return deps.sql.begin(async (tx) => {
    const now = isoOf(deps)
    const { keys } = await lockUser(tx, caller, id)
    if ((await eraseUser(tx, caller.orgId, id, now)).length === 0) {
      throw refuse('illegal_transition', { detail: 'The user was anonymised already.' })
    }
    if (keys.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
    await withdrawAllRoles(tx, caller.orgId, id)
    await deleteActivations(tx, id)
    await recordSuccess(tx, audit)
    await announceEnd(tx, 'organization.user.anonymised', caller.orgId, id, now)
    return visibleUser(tx, caller, id)
  })
}

async function announceEnd(
  tx: Tx,
  type: 'organization.user.deactivated' | 'organization.user.anonymised',
  orgId: string,
  userId: string,
  before: string,
): Promise<void> {
  await emitUserChanged(tx, orgId, userId)
  await emit(tx, { type, tenantId: orgId, subject: userId, data: { userId, orgId, before } })
}
