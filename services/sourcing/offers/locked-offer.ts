import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import { lockInvitation } from '../rfqs/queries.ts'
import { stateAt as rfqStateAt } from '../rfqs/rules.ts'
import * as queries from './queries.ts'
import { GUARDS, type OwnOffer, stateAt } from './rules.ts'

/** The RFQ to which a manufacturer is invited, both locked. */
export interface Invited {
  rfq: Rfq
  invitationState: string
  awaitsAcceptance: boolean
}

export interface LockedOffer extends Invited {
  offer: OwnOffer
  row: queries.OwnOfferRow
}

/** An own offer after its RFQ and its invitation, all locked in this order. */
export async function lockWithRfq(tx: Tx, orgId: string, id: string): Promise<LockedOffer> {
  const { rfq_id: rfqId } = found(await queries.findRfqOf(tx, orgId, id))
  const invitation = found(await lockInvitation(tx, orgId, rfqId))
  const row = found(await queries.lockOwnOffer(tx, orgId, id))
  const { state: invitationState, awaitsAcceptance } = invitation
  return { rfq: JSON.parse(invitation.rfq), invitationState, awaitsAcceptance, offer: JSON.parse(row.document), row }
}

/** Throws 409 for a verb that the state or a guard does not allow. */
export const requireLegal = (
  tx: Tx,
  verb: 'submit' | 'reconfirm' | 'reinstate' | 'revise' | 'withdraw',
  locked: LockedOffer,
  now: string,
): Promise<void> =>
  requireGuards(OFFER, verb, stateAt(locked.offer, now), {
    guards: GUARDS,
    async facts() {
      const { rfq, invitationState, awaitsAcceptance, offer, row } = locked
      const [factory] = OFFER.guards(verb).includes('factoryIsActive')
        ? await queries.lockFactory(tx, row.manufacturer_org_id, offer.factoryId, row.consumer_org_id)
        : []
      return {
        rfqState: rfqStateAt(rfq, now),
        isSealed: rfq.sealed,
        quantities: rfq.quantities,
        invitationState,
        awaitsAcceptance,
        factory,
        validUntil: offer.validUntil,
        priceBreaks: offer.priceBreaks,
        isOutdated: offer.isOutdated ?? false,
        isAskedFor: offer.reinstatementAskedTime !== undefined,
        isForCurrentVersion: offer.rfqVersion === rfq.version,
        hasDraftRevision: row.has_draft_revision,
        now,
      }
    },
  })
