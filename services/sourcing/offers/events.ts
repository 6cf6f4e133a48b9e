import type { EventName } from '../../../proto/events/events.ts'
import { emit, emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { RfqChange } from '../rfqs/followers.ts'

/** The columns of an offer that its events have. */
export interface OfferRow {
  id: string
  rfq_id: string
  part_id: string
  manufacturer_org_id: string
  consumer_org_id: string
  ip_owner_org_id: string
}

const about = (offer: OfferRow) => ({
  offerId: offer.id,
  rfqId: offer.rfq_id,
  partId: offer.part_id,
  manufacturerOrgId: offer.manufacturer_org_id,
  consumerOrgId: offer.consumer_org_id,
  ipOwnerOrgId: offer.ip_owner_org_id,
})

type OfferEventName = Exclude<EventName<'sourcing.offer'>, 'revised'>

const eventOf = (name: OfferEventName, offer: OfferRow) => ({
  type: `sourcing.offer.${name}` as const,
  tenantId: offer.manufacturer_org_id,
  subject: offer.id,
  data: about(offer),
})

export const emitOfferEvent = (tx: Tx, name: OfferEventName, offer: OfferRow) => emit(tx, eventOf(name, offer))

/** The event of each offer, in this order. */
export const emitOfferEvents = (tx: Tx, events: readonly (readonly [name: OfferEventName, offer: OfferRow])[]) =>
  emitAll(
    tx,
    events.map(([name, offer]) => eventOf(name, offer)),
  )

export const emitOfferRevised = (tx: Tx, revision: OfferRow, previousOfferId: string) =>
  emit(tx, {
    type: 'sourcing.offer.revised',
    tenantId: revision.manufacturer_org_id,
    subject: revision.id,
    data: { ...about(revision), previousOfferId },
  })

/** An offer whose readers learn of its changes. */
export interface SharedOffer extends OfferRow {
  hidden_from_ip_owner: boolean
}

/** A change of which the manufacturer, the consumer and an IP owner that may read the offer learn. */
export const caseChange = (name: OfferEventName, offer: SharedOffer): RfqChange => ({
  rfqId: offer.rfq_id,
  orgIds: [
    offer.manufacturer_org_id,
    offer.consumer_org_id,
    ...(offer.hidden_from_ip_owner ? [] : [offer.ip_owner_org_id]),
  ],
  cause: { event: `sourcing.offer.${name}`, id: offer.id },
})
