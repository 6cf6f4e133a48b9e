import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { JsonText } from '../../kit/db/json-text.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { requireAdministratorLeft } from '../authority/authority.ts'
import {
  activationUrl,
  type CommandDeps,
  emitUserChanged,
  requireUser,
  resetCredentials,
  visibleUser,
} from '../users/commands.ts'
import { activate, deactivate, deleteActivations, eraseUser, withdrawAllRoles } from '../users/queries.ts'

interface ChangeState {
  begin: BeginCommand
  params: { id: string }
  audit: AuditContext
}

type StateDeps = Pick<CommandDeps, 'clock'>

const isoOf = ({ clock }: StateDeps) => new Date(clock()).toISOString()

/** Activates an inactive user. The password is kept; earlier sessions stay ended. */
export function activateUser(deps: StateDeps, { begin, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return begin(async (tx, caller) => {
    await requireUser(tx, caller, id)
    if ((await activate(tx, caller.orgId, id, isoOf(deps))).length === 0) {
      throw refuse('illegal_transition', { detail: 'The user is already active or was anonymised.' })
    }
    await recordSuccess(tx, audit)
    await emitUserChanged(tx, caller.orgId, id)
    return visibleUser(tx, caller, id)
  })
}

/** Deactivates an active user and ends all sessions. An administrator must remain. */
export function deactivateUser(deps: StateDeps, { begin, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return begin(async (tx, caller) => {
    const { permissions } = await requireUser(tx, caller, id)
    const [deactivated] = await deactivate(tx, caller.orgId, id, isoOf(deps))
    if (!deactivated) throw refuse('illegal_transition', { detail: 'The user is already inactive.' })
    if (permissions.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
    await recordSuccess(tx, audit)
    await emitSessionsVoid(tx, 'organization.user.deactivated', caller.orgId, id, deactivated.session_version)
    return visibleUser(tx, caller, id)
  })
}

/** Voids the password and all sessions, and returns a new activation link. */
export function resetUserPassword(deps: CommandDeps, { begin, params: { id }, audit }: ChangeState) {
  return begin(async (tx, caller) => {
    const user = await requireUser(tx, caller, id)
    if (!user.active) throw refuse('illegal_transition', { detail: 'The user is inactive. Activate the user first.' })
    const token = await resetCredentials(tx, caller.orgId, id, { now: isoOf(deps), createdBy: caller.userId })
    await recordSuccess(tx, audit)
    return { activationUrl: activationUrl(deps.publicUrl, token) }
  })
}

/** Erases the personal data here and, through an event, in the other services. The id remains. */
export function anonymiseUser(deps: StateDeps, { begin, params: { id }, audit }: ChangeState): Promise<JsonText> {
  return begin(async (tx, caller) => {
    const { permissions } = await requireUser(tx, caller, id)
    const [erased] = await eraseUser(tx, caller.orgId, id, isoOf(deps))
    if (!erased) throw refuse('illegal_transition', { detail: 'The user is already anonymised.' })
    if (permissions.includes('org:admin')) await requireAdministratorLeft(tx, caller.orgId)
    await withdrawAllRoles(tx, caller.orgId, id)
    await deleteActivations(tx, id)
    await recordSuccess(tx, audit)
    await emitSessionsVoid(tx, 'organization.user.anonymised', caller.orgId, id, erased.session_version)
    return visibleUser(tx, caller, id)
  })
}

async function emitSessionsVoid(
  tx: Tx,
  type: 'organization.user.deactivated' | 'organization.user.anonymised',
  orgId: string,
  userId: string,
  sessionVersion: number,
): Promise<void> {
  await emitUserChanged(tx, orgId, userId)
  await emit(tx, { type, tenantId: orgId, subject: userId, data: { userId, orgId, sessionVersion } })
}
