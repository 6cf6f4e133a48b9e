interface AboutPart {
  partId: string
  ipOwnerOrgId: string
}

/** One event type for each command on a part, all with the same data. */
export interface PartEvent {
  type: `sourcing.part.${'created' | 'updated' | 'published' | 'archived' | 'unarchived' | 'deleted' | 'filesChanged'}`
  data: AboutPart
}

export interface UploadCreated {
  type: 'sourcing.upload.created'
  data: { uploadId: string; orgId: string }
}

/** One event type for each command on a factory. */
export interface FactoryEvent {
  type: `sourcing.factory.${'created' | 'updated' | 'activated' | 'deactivated' | 'capabilitiesChanged'}`
  data: { factoryId: string; orgId: string }
}

/** A distributor released a factory to an organization that is engaged through it, or withdrew the release. */
export interface FactoryReleaseEvent {
  type: `sourcing.factory.${'released' | 'withdrawn'}`
  data: { factoryId: string; orgId: string; distributorOrgId: string }
}

interface AboutRfq {
  rfqId: string
  partId: string
  consumerOrgId: string
  ipOwnerOrgId: string
}

/** `closed` covers both the command and the expiry. */
export interface RfqEvent {
  type: `sourcing.rfq.${'created' | 'updated' | 'published' | 'extended' | 'closed' | 'reopened' | 'awarded' | 'cancelled' | 'deleted'}`
  data: AboutRfq
}

export interface RfqInvited {
  type: 'sourcing.rfq.invited'
  /** The newly invited manufacturers. Those of a publication are not repeated here. */
  data: AboutRfq & { manufacturerOrgIds: string[] }
}

export interface RfqDeclined {
  type: 'sourcing.rfq.declined'
  data: AboutRfq & { manufacturerOrgId: string }
}

interface AboutOffer {
  offerId: string
  rfqId: string
  partId: string
  manufacturerOrgId: string
  consumerOrgId: string
  ipOwnerOrgId: string
}

/** One event type for each change of an offer, without prices. */
export interface OfferEvent {
  type: `sourcing.offer.${'created' | 'updated' | 'submitted' | 'accepted' | 'rejected' | 'withdrawn' | 'expired' | 'superseded'}`
  data: AboutOffer
}

/** A draft that supersedes the previous offer when it is submitted. */
export interface OfferRevised {
  type: 'sourcing.offer.revised'
  data: AboutOffer & { previousOfferId: string }
}

/** One event type for each command on an order; `placed` by an award. */
export interface OrderEvent {
  type: `sourcing.order.${
    | 'placed'
    | 'confirmed'
    | 'declined'
    | 'started'
    | 'inspected'
    | 'reworked'
    | 'shipped'
    | 'delivered'
    | 'completed'
    | 'cancelled'
    | 'held'
    | 'resumed'
    | 'milestonesChanged'}`
  data: {
    orderId: string
    rfqId: string
    offerId: string
    partId: string
    factoryId: string
    consumerOrgId: string
    ipOwnerOrgId: string
    manufacturerOrgId: string
    sellerOrgId: string
    distributorOrgId?: string
  }
}
