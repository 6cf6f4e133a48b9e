import type * as api from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import type { RfqPackage } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { acceptLocked, requireAcceptable } from '../confidentiality/commands.ts'
import type { RfqChange, RfqDeps } from '../rfqs/followers.ts'
import { lockInvitation } from '../rfqs/queries.ts'
import { stateAt } from '../rfqs/rules.ts'
import { invitedPackage } from './packages.ts'
import * as queries from './queries.ts'

/** Accepts the terms of the lines of a manufacturer that it may accept now. */
export async function acceptPackageTerms(
  { followers }: RfqDeps,
  { tx, caller, params: { id }, now, audit }: CommandOf<typeof api.acceptRfqPackageTerms>,
): Promise<RfqPackage> {
  found(await queries.findInvitedPackage(tx, caller.orgId, id))
  const ipAddress = audit.context.ipAddress ?? null
  const changes: RfqChange[] = []
  for (const { id: rfqId } of await queries.listInvitedIds(tx, caller.orgId, id)) {
    const invitation = found(await lockInvitation(tx, caller.orgId, rfqId))
    const rfq: Rfq = JSON.parse(invitation.rfq)
    const isWaiting = invitation.awaitsAcceptance && invitation.state !== 'DECLINED' && stateAt(rfq, now) === 'OPEN'
    if (!isWaiting) continue
    await requireAcceptable(invitation, now)
    changes.push(...(await acceptLocked(tx, { caller, ipAddress, invitation, now })).changes)
  }
  if (changes.length === 0)
    throw refuse('illegal_transition', { detail: 'No line of the package awaits an acceptance.' })
  await followers.updateCases(tx, changes, now)
  return invitedPackage(tx, caller.orgId, id)
}
