import type { Tx } from '../../kit/db/client.ts'
import type { OfferRow } from '../offers/events.ts'

/** Without regard to an organization: the caller has locked an order of the RFQ. No row for an order without RFQ. */
export const lockAnyRfq = (tx: Tx, id: string) => tx<{ document: string }[]>`
  select consumer_document as document from sourcing.rfqs where id = ${id} for update`

/** The orders of an RFQ that live: all, and those of an offer. */
export const countLiving = (tx: Tx, rfqId: string, offerId: string) => tx<[{ all: number; ofOffer: number }]>`
  select count(*)::integer as all, count(*) filter (where offer_id = ${offerId})::integer as "ofOffer"
  from sourcing.orders where rfq_id = ${rfqId} and state not in ('DECLINED', 'CANCELLED')`

/** The accepted offer of a declined or cancelled order. */
export const rejectOffer = (tx: Tx, id: string, now: string) => tx<OfferRow[]>`
  update sourcing.offers set state = 'REJECTED', updated_at = ${now} where id = ${id} and state = 'ACCEPTED'
  returning id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id`

/**
 * Asks for the offers that lost against others, as far as they are still valid and for the current version. A
 * manufacturer that has declined since then is not asked.
 */
export const askForOffers = (tx: Tx, rfqId: string, now: string) => tx<OfferRow[]>`
  with locked as materialized (
    select offer.id from sourcing.offers offer
    join sourcing.rfq_invitations invitation
      on invitation.rfq_id = offer.rfq_id and invitation.org_id = offer.manufacturer_org_id
    where offer.rfq_id = ${rfqId} and offer.state = 'REJECTED' and offer.rejected_by_award and not offer.outdated
      and offer.valid_until > ${now} and invitation.state <> 'DECLINED'
    order by offer.id for update of offer
  )
  update sourcing.offers offer set reinstatement_asked_at = ${now}, updated_at = ${now}
  from locked where offer.id = locked.id
  returning offer.id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id`

/** Removes an offer from what each organization reads of the award. The RFQ is changed after that, as in an award. */
export const unmarkAwarded = (tx: Tx, rfqId: string, offerId: string) => tx`
  update sourcing.rfq_invitations set awarded_offer_ids = array_remove(awarded_offer_ids, ${offerId})
  where rfq_id = ${rfqId} and ${offerId} = any(awarded_offer_ids)`
