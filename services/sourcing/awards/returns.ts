import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { Tx } from '../../kit/db/client.ts'
import { emitOfferEvents } from '../offers/events.ts'
import { causeOf, emitRfqEvent } from '../rfqs/events.ts'
import type { RfqFollowers } from '../rfqs/followers.ts'
import { updateAward } from './queries.ts'
import * as queries from './return-queries.ts'

/** Further missing pieces are not counted. */
const MAX_MISSING = 2_000_000_000

/**
 * Follows the decline or the cancellation of an order, whose row is locked. Its offer is rejected, and its quantity is
 * missing; without a living order the RFQ returns to CLOSED. Losing offers are asked for.
 */
export async function returnAward(
  { followers }: { followers: RfqFollowers },
  tx: Tx,
  { rfqId, offerId, quantity }: Order,
  now: string,
): Promise<void> {
  const [row] = await queries.lockAnyRfq(tx, rfqId)
  if (!row) return
  const rfq: Rfq = JSON.parse(row.document)
  const [living] = await queries.countLiving(tx, rfqId, offerId)
  const rejected = living.ofOffer === 0 ? await queries.rejectOffer(tx, offerId, now) : []
  if (rejected.length > 0) await queries.unmarkAwarded(tx, rfqId, offerId)
  const isReturned = living.all === 0
  const returned = {
    state: isReturned ? RFQ.stateAfter('returnAward', rfq.state) : rfq.state,
    awardedOfferIds: rejected.length > 0 ? rfq.awardedOfferIds.filter((id) => id !== offerId) : rfq.awardedOfferIds,
    missingQuantity: isReturned ? null : Math.min((rfq.missingQuantity ?? 0) + quantity, MAX_MISSING),
  }
  await updateAward(tx, rfqId, returned, now)
  const asked = await queries.askForOffers(tx, rfqId, now)
  const event = isReturned ? 'returned' : 'quantityMissing'
  await emitRfqEvent(tx, event, rfq)
  await emitOfferEvents(tx, [
    ...rejected.map((offer) => ['rejected', offer] as const),
    ...asked.map((offer) => ['reinstatementAsked', offer] as const),
  ])
  const makers = asked.map((offer) => offer.manufacturer_org_id)
  const cause = causeOf(event, rfq)
  if (isReturned) {
    const orgIds = [rfq.consumerOrgId, rfq.ipOwnerOrgId, ...makers]
    await followers.openCases(tx, [{ rfq, orgIds, cause }], now)
  } else await followers.updateCases(tx, [{ rfqId, orgIds: [rfq.consumerOrgId, ...makers], cause }], now)
}
