import type * as api from '../../../proto/http/sourcing/offer-lifecycle.ts'
import {
  MAX_LIVE_OFFERS,
  MAX_OFFERS,
  type Offer,
  type OfferInput,
  type OfferPatch,
} from '../../../proto/http/sourcing/offers.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { lockInvitation } from '../rfqs/queries.ts'
import { stateAt as rfqStateAt } from '../rfqs/rules.ts'
import { caseChange, emitOfferEvent, emitOfferRevised, type SharedOffer } from './events.ts'
import * as queries from './queries.ts'
import {
  contentOf,
  currencyProblems,
  GUARDS,
  hasRoom,
  invitationProblems,
  type OwnOffer,
  patchedContent,
  stateAt,
  unknownFactory,
  unknownRfq,
} from './rules.ts'

/** Creates a draft of the caller's organization for an open RFQ to which it is invited. */
export async function createOffer({ tx, caller, body, now, audit }: CommandOf<typeof api.createOffer>): Promise<Offer> {
  const { rfq, ...invitation } = await requireReferences(tx, caller.orgId, body)
  const problems = invitationProblems({ rfqState: rfqStateAt(rfq, now), ...invitation })
  if (problems.length > 0) throw refuse('illegal_transition', { errors: problems })
  await requireRoom(tx, caller.orgId, rfq.id)
  const { partId, consumerOrgId, ipOwnerOrgId, currency } = rfq
  const offer = {
    id: newIdAt('offer', now),
    rfqId: rfq.id,
    partId,
    manufacturerOrgId: caller.orgId,
    consumerOrgId,
    ipOwnerOrgId,
    currency,
    createdBy: caller.userId,
  }
  const [row] = await queries.insertOffer(tx, offer, contentOf(body), now)
  audit.add({ offerId: offer.id })
  await emitOfferEvent(tx, 'created', row)
  return JSON.parse(row.document)
}

interface Invited {
  rfq: Rfq
  invitationState: string
  awaitsAcceptance: boolean
}

/** Locks RFQ and invitation; throws 400 for an RFQ, a factory or a currency that the offer may not name. */
async function requireReferences(tx: Tx, orgId: string, body: OfferInput): Promise<Invited> {
  const [invitation] = await lockInvitation(tx, orgId, body.rfqId)
  if (!invitation) throw invalid([unknownRfq(body.rfqId)])
  const rfq: Rfq = JSON.parse(invitation.rfq)
  await requireContent(tx, orgId, body, rfq)
  return { rfq, invitationState: invitation.state, awaitsAcceptance: invitation.awaitsAcceptance }
}

/** Throws 400 for a sent factory of another organization, and for amounts in another currency than that of the RFQ. */
async function requireContent(
  tx: Tx,
  orgId: string,
  sent: OfferInput | OfferPatch,
  { consumerOrgId, currency }: { consumerOrgId: string; currency: string },
): Promise<void> {
  const { factoryId } = sent
  const isKnown = factoryId === undefined || (await queries.lockFactory(tx, orgId, factoryId, consumerOrgId)).length > 0
  const problems = [...(isKnown ? [] : [unknownFactory(factoryId)]), ...currencyProblems(sent, currency)]
  if (problems.length > 0) throw invalid(problems)
}

/** Throws 409 for an organization with too many offers. The invitation is locked. */
async function requireRoom(tx: Tx, orgId: string, rfqId: string): Promise<void> {
  const [count] = await queries.countOffers(tx, orgId, rfqId)
  if (!hasRoom(count)) {
    throw refuse('limit_reached', {
      detail:
        `An organization has at most ${MAX_LIVE_OFFERS} offers in DRAFT or SUBMITTED, ` +
        `and ${MAX_OFFERS} in all, for an RFQ.`,
    })
  }
}

/** Changes the content of an own draft. A patch without a change emits no event. */
export async function patchOffer({
  tx,
  caller: { orgId },
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchOffer>): Promise<JsonText> {
  const row = found(await queries.lockOwnOffer(tx, orgId, params.id))
  await requireContent(tx, orgId, body, { consumerOrgId: row.consumer_org_id, currency: row.currency })
  requireMatch(ifMatch, row.document)
  const offer: OwnOffer = JSON.parse(row.document)
  requireTransition(OFFER, 'patch', stateAt(offer, now))
  const key = { orgId, id: offer.id }
  const changed = found(await queries.updateContent(tx, key, patchedContent(offer, body), now))
  if (changed.document !== row.document) await emitOfferEvent(tx, 'updated', changed)
  return new JsonText(changed.document)
}

/** Submits an own draft; of two concurrent calls one gets 409. A revision supersedes the offer that it revises. */
export async function submitOffer(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, ifMatch, now }: CommandOf<typeof api.submitOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, orgId, params.id)
  requireMatch(ifMatch, locked.row.document)
  await requireLegal(tx, 'submit', locked, now)
  const moved = found(await move(tx, 'submit', { orgId, id: params.id }, { rfq: locked.rfq, now }))
  await queries.markOffered(tx, orgId, locked.rfq.id, now)
  await emitOfferEvent(tx, 'submitted', moved)
  const superseded = await supersede(tx, orgId, locked.row.previous_offer_id, now)
  const changes = [caseChange('submitted', moved), ...superseded.map((offer) => caseChange('superseded', offer))]
  await followers.updateCases(tx, changes, now)
  return new JsonText(moved.document)
}

/** Supersedes the previous offer, unless it was withdrawn, rejected or has expired meanwhile. */
async function supersede(tx: Tx, orgId: string, id: string | null, now: string): Promise<readonly SharedOffer[]> {
  const superseded = id === null ? [] : await move(tx, 'supersede', { orgId, id }, { now })
  for (const offer of superseded) await emitOfferEvent(tx, 'superseded', offer)
  return superseded
}

/** Copies an own submitted offer and its documents into a draft with the next revision. */
export async function reviseOffer(
  { followers }: RfqDeps,
  { tx, caller: { orgId, userId: createdBy }, params, now, audit }: CommandOf<typeof api.reviseOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, orgId, params.id)
  await requireLegal(tx, 'revise', locked, now)
  await requireRoom(tx, orgId, locked.rfq.id)
  const id = newIdAt('offer', now)
  const [revision] = await queries.insertRevision(tx, { id, orgId, previousOfferId: params.id, createdBy }, now)
  await followers.copyDocuments(tx, params.id, id, now)
  audit.add({ offerId: id })
  await emitOfferRevised(tx, revision, params.id)
  return new JsonText(revision.document)
}

/** Makes an own outdated offer one for the current version of its RFQ, with the same content. */
export async function reconfirmOffer(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.reconfirmOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, orgId, params.id)
  await requireLegal(tx, 'reconfirm', locked, now)
  const reconfirmed = found(await queries.reconfirm(tx, { orgId, id: params.id }, locked.rfq, now))
  await emitOfferEvent(tx, 'reconfirmed', reconfirmed)
  await followers.updateCases(tx, [caseChange('reconfirmed', reconfirmed)], now)
  return new JsonText(reconfirmed.document)
}

const EVENT_NAMES = { withdraw: 'withdrawn', reject: 'rejected' } as const
type OfferEnd = keyof typeof EVENT_NAMES

/** Ends a submitted offer by its manufacturer or its consumer; of two concurrent calls one gets 409. */
export async function endOffer(
  verb: OfferEnd,
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<(typeof api)[`${OfferEnd}Offer`]>,
): Promise<JsonText> {
  const { reason }: FieldsOf<typeof body> = body ?? {}
  if (verb === 'withdraw') await requireLegal(tx, verb, await lockWithRfq(tx, orgId, params.id), now)
  else {
    const { document } = found(await queries.lockOffer(tx, orgId, OFFER.verbs[verb].by, params.id))
    requireTransition(OFFER, verb, stateAt(JSON.parse(document), now))
  }
  const moved = found(await move(tx, verb, { orgId, id: params.id }, { reason, now }))
  await emitOfferEvent(tx, EVENT_NAMES[verb], moved)
  await followers.updateCases(tx, [caseChange(EVENT_NAMES[verb], moved)], now)
  return new JsonText(moved.document)
}

interface LockedOffer extends Invited {
  offer: OwnOffer
  row: queries.OwnOfferRow
}

/** An own offer after its RFQ and its invitation, all locked in this order. */
async function lockWithRfq(tx: Tx, orgId: string, id: string): Promise<LockedOffer> {
  const { rfq_id: rfqId } = found(await queries.findRfqOf(tx, orgId, id))
  const invitation = found(await lockInvitation(tx, orgId, rfqId))
  const row = found(await queries.lockOwnOffer(tx, orgId, id))
  const { state: invitationState, awaitsAcceptance } = invitation
  return { rfq: JSON.parse(invitation.rfq), invitationState, awaitsAcceptance, offer: JSON.parse(row.document), row }
}

/** Throws 409 for a verb that the state or a guard does not allow. */
const requireLegal = (
  tx: Tx,
  verb: 'submit' | 'reconfirm' | 'revise' | 'withdraw',
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
        hasDraftRevision: row.has_draft_revision,
        now,
      }
    },
  })

/** No row if the offer is not in a state of the verb. */
const move = (
  tx: Tx,
  verb: 'submit' | 'supersede' | 'withdraw' | 'reject',
  key: { orgId: string; id: string },
  { now, ...change }: { reason?: string | undefined; rfq?: queries.RfqVersion; now: string },
) => {
  const { from, to } = OFFER.verbs[verb]
  return queries.moveState(tx, key, { from, to, ...change }, now)
}
