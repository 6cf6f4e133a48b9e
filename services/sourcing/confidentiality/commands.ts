import type * as api from '../../../proto/http/sourcing/rfq-confidentiality.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import { causeOf, emitRfqDetail } from '../rfqs/events.ts'
import type { RfqChange, RfqDeps } from '../rfqs/followers.ts'
import { lockInvitation } from '../rfqs/queries.ts'
import { stateAt } from '../rfqs/rules.ts'
import * as queries from './queries.ts'
import { ACCEPTANCE_GUARDS, RELEASE_GUARDS, readersOfAcceptance } from './rules.ts'

/** Accepts the terms for the caller's organization, which reads the whole RFQ and its part from then on. */
export async function acceptTerms(
  { followers }: RfqDeps,
  { tx, caller, params, now, audit }: CommandOf<typeof api.acceptRfqTerms>,
): Promise<JsonText> {
  const invitation = found(await lockInvitation(tx, caller.orgId, params.id))
  await requireAcceptable(invitation, now)
  const ipAddress = audit.context.ipAddress ?? null
  const { document, changes } = await acceptLocked(tx, { caller, ipAddress, invitation, now })
  await followers.updateCases(tx, changes, now)
  return new JsonText(document)
}

type Invitation = Awaited<ReturnType<typeof lockInvitation>>[number]

/** Throws 409 where there is nothing to accept. */
export function requireAcceptable(invitation: Invitation, now: string): Promise<void> {
  const rfq: Rfq = JSON.parse(invitation.rfq)
  return requireGuards(RFQ, 'acceptTerms', stateAt(rfq, now), {
    guards: ACCEPTANCE_GUARDS,
    facts: () => ({ ...rfq, ...invitation }),
  })
}

interface Acceptance {
  caller: Pick<Caller, 'orgId' | 'userId'>
  ipAddress: string | null
  /** Locked, with its RFQ. */
  invitation: Invitation
  now: string
}

/** Accepts the terms of one RFQ. The cases are updated by the caller. */
export async function acceptLocked(
  tx: Tx,
  { caller: { orgId, userId }, ipAddress, invitation, now }: Acceptance,
): Promise<{ document: string; changes: RfqChange[] }> {
  const rfq: Rfq = JSON.parse(invitation.rfq)
  const { confidentialityTerms: terms = '' } = rfq
  await queries.insertAcceptance(tx, { rfqId: rfq.id, orgId, userId, ipAddress, terms }, now)
  const { document } = found(await queries.endOutline(tx, orgId, rfq.id))
  await emitRfqDetail(tx, 'termsAccepted', rfq, { manufacturerOrgId: orgId })
  const [{ ownerSeesAcceptances, isReleased }] = await queries.findConsequences(tx, orgId, rfq.id)
  if (isReleased) await emitRfqDetail(tx, 'filesReleased', rfq, { manufacturerOrgIds: [orgId] })
  const readers = { rfqId: rfq.id, orgIds: readersOfAcceptance(rfq, ownerSeesAcceptances, [orgId]) }
  const causes = ['termsAccepted', ...(isReleased ? (['filesReleased'] as const) : [])] as const
  return { document, changes: causes.map((name): RfqChange => ({ ...readers, cause: causeOf(name, rfq) })) }
}

/** Releases files of the group `ip` for quoting. A manufacturer to which they are released keeps its release. */
export async function releaseFiles(
  deps: RfqDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<typeof api.releaseRfqFiles>,
): Promise<JsonText> {
  const { document, ...owned } = found(await queries.lockOwnedRfq(tx, orgId, params.id, now))
  const rfq: Rfq = JSON.parse(document)
  const named = body.manufacturerIds
  await requireGuards(RFQ, 'releaseFiles', stateAt(rfq, now), {
    guards: RELEASE_GUARDS,
    async facts() {
      const accepted = await queries.findAccepted(tx, rfq.id, named)
      return { ...rfq, ...owned, named, accepted: new Set(accepted.map(({ org_id: id }) => id)) }
    },
  })
  const released = await queries.insertReleases(tx, rfq.id, [...new Set(named)].toSorted(), now)
  await tell(tx, deps, 'filesReleased', rfq, released, now)
  return new JsonText(document)
}

/** Ends releases, also those of the publication to manufacturers that have not accepted the terms yet. */
export async function withdrawFiles(
  deps: RfqDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<typeof api.withdrawRfqFiles>,
): Promise<JsonText> {
  const { document } = found(await queries.lockOwnedRfq(tx, orgId, params.id, now))
  const rfq: Rfq = JSON.parse(document)
  requireTransition(RFQ, 'withdrawFiles', stateAt(rfq, now))
  const withdrawn = await queries.deleteReleases(tx, rfq.id, body?.manufacturerIds)
  await tell(tx, deps, 'filesWithdrawn', rfq, withdrawn, now)
  return new JsonText(document)
}

/** Tells consumer, IP owner and these manufacturers. */
async function tell(
  tx: Tx,
  { followers }: RfqDeps,
  name: 'filesReleased' | 'filesWithdrawn',
  rfq: Rfq,
  changed: readonly { org_id: string }[],
  now: string,
): Promise<void> {
  if (changed.length === 0) return
  const orgIds = changed.map(({ org_id: id }) => id)
  await emitRfqDetail(tx, name, rfq, { manufacturerOrgIds: orgIds })
  await followers.updateCases(
    tx,
    [{ rfqId: rfq.id, orgIds: readersOfAcceptance(rfq, true, orgIds), cause: causeOf(name, rfq) }],
    now,
  )
}
