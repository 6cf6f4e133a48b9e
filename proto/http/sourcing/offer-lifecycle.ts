import { Type } from '@sinclair/typebox'
import { OFFER } from '../../states/offers.ts'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'

import { MAX_LIVE_OFFERS, MAX_OFFERS, Offer, OfferInput, OfferPatch, offerId } from './offers.ts'

const offerLifecycleTag = defineTag('Offer lifecycle', 'Creating, submitting, revising and ending offers.')

/** Prices and notes are not logged, because an audit log must not disclose a sealed bid. */
const LOGGED = ['factoryId', 'validUntil']

const crud = crudOf({
  name: 'offer',
  path: '/flows/v1/offers',
  tag: offerLifecycleTag,
  access: { read: 'token', write: 'offer:create' },
  params: offerId,
  input: OfferInput,
  patch: OfferPatch,
  response: Offer,
  idName: 'offerId',
  logged: { create: ['rfqId', ...LOGGED], patch: LOGGED },
})

export const createOffer = defineOperation({
  ...crud.create,
  summary: 'Create an offer',
  description: `Creates a DRAFT for an OPEN RFQ to which your organization is invited and whose confidentiality terms, if any, it has accepted. Other organizations see it once it is submitted. An organization has at most ${MAX_LIVE_OFFERS} offers in DRAFT or SUBMITTED, and ${MAX_OFFERS} in all, for one RFQ. All amounts have the currency of the RFQ. Each price break needs a different minimum quantity.`,
  answersState: 'DRAFT',
  etag: true,
  refusals: ['illegal_transition', 'limit_reached'],
})

export const patchOffer = defineOperation({
  ...crud.patch,
  summary: 'Change an offer',
  description: `${OFFER.sentence('patch')} A submitted offer is fixed; revise it instead. All amounts have the currency of the RFQ.`,
  transition: OFFER.verbs.patch,
  etag: true,
  refusals: ['illegal_transition'],
})

const verb = verbsOf({
  name: 'offer',
  table: OFFER,
  path: '/flows/v1/offers/{id}',
  tag: offerLifecycleTag,
  params: offerId,
  response: Offer,
})

export const submitOffer = defineOperation({
  ...verb('submit', {
    note: 'The RFQ must be OPEN, the factory active and the validity in the future. For a consumer that is engaged through a distributor, the factory must be released to it. A submitted revision sets the offer that it revises to SUPERSEDED.',
  }),
  summary: 'Submit an offer',
  access: 'offer:submit',
  ifMatch: true,
})

export const reconfirmOffer = defineOperation({
  ...verb('reconfirm', {
    note: 'Only an outdated offer, while the RFQ is OPEN. The content stays; it needs a price for each quantity of the RFQ.',
  }),
  summary: 'Reconfirm an offer',
  access: 'offer:submit',
})

export const reviseOffer = defineOperation({
  ...verb('revise', {
    logged: ['offerId'],
    note: 'The RFQ must be OPEN. Creates a DRAFT with the same content and the next revision, and returns it. The offer stays SUBMITTED until the revision is submitted. It has at most one draft revision.',
  }),
  answersState: 'DRAFT',
  summary: 'Revise an offer',
  access: 'offer:create',
  refusals: ['illegal_transition', 'limit_reached'],
})

export const reinstateOffer = defineOperation({
  ...verb('reinstate', {
    note: 'Only an offer that lost against others, after an order of the award was declined or cancelled (`reinstatementAskedTime`), and while it is still valid. Its content stays.',
  }),
  summary: 'Reinstate an offer',
  access: 'offer:submit',
  refusals: ['illegal_transition', 'limit_reached'],
})

const reason = (description: string, example: string) => closed({ reason: Type.Optional(Reason(description, example)) })

export const withdrawOffer = defineOperation({
  ...verb('withdraw', { logged: ['reason'] }),
  summary: 'Withdraw an offer',
  access: 'offer:withdraw',
  body: reason('Why the offer is withdrawn.', 'The machine is out of order.'),
  bodyOptional: true,
})

export const rejectOffer = defineOperation({
  ...verb('reject', { logged: ['reason'] }),
  summary: 'Reject an offer',
  access: 'offer:reject',
  body: reason('Why the offer is rejected.', 'The lead time is too long.'),
  bodyOptional: true,
})
