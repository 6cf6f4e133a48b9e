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
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import { requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import type { RfqChange, RfqDeps } from '../rfqs/followers.ts'
import { lockInvitation } from '../rfqs/queries.ts'
import { stateAt as rfqStateAt } from '../rfqs/rules.ts'
import { caseChange, emitOfferEvent, emitOfferRevised, type SharedOffer } from './events.ts'
import { type Invited, type LockedOffer, lockWithRfq, requireLegal } from './locked-offer.ts'
import * as queries from './queries.ts'
import {
  contentOf,
  currencyProblems,
  hasRoom,
  invitationProblems,
  type OfferContent,
  type OwnOffer,
  patchedContent,
  stateAt,
  unknownFactory,
  unknownRfq,
} from './rules.ts'

/** Creates a draft of the caller's organization for an open RFQ to which it is invited. */
export async function createOffer({ tx, caller, body, now, audit }: CommandOf<typeof api.createOffer>): Promise<Offer> {
  const { rfq, ...invitation } = await requireReferences(tx, caller.orgId, body)
  requireInvitation({ rfq, ...invitation }, now)
  await requireRoom(tx, caller.orgId, rfq.id)
  const row = await insertDraft(tx, caller, rfq, body, now)
  audit.add({ offerId: row.id })
  return JSON.parse(row.document)
}

/** Throws 409 for an RFQ that is not open to the manufacturer. */
export function requireInvitation({ rfq, ...invitation }: Invited, now: string): void {
  const problems = invitationProblems({ rfqState: rfqStateAt(rfq, now), ...invitation })
  if (problems.length > 0) throw refuse('illegal_transition', { errors: problems })
}

/** Stores a draft whose references were checked. */
export async function insertDraft(
  tx: Tx,
  { orgId, userId }: Pick<Caller, 'orgId' | 'userId'>,
  { id: rfqId, partId, consumerOrgId, ipOwnerOrgId, currency }: Rfq,
  content: OfferInput,
  now: string,
) {
  const parties = { manufacturerOrgId: orgId, consumerOrgId, ipOwnerOrgId }
  const offer = { id: newIdAt('offer', now), rfqId, partId, ...parties, currency, createdBy: userId }
  const [row] = await queries.insertOffer(tx, offer, contentOf(content), now)
  await emitOfferEvent(tx, 'created', row)
  return row
}

/** Locks RFQ and invitation; throws 400 for an RFQ, a factory or a currency that the offer may not name. */
export async function requireReferences(tx: Tx, orgId: string, body: OfferInput): Promise<Invited> {
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
  requireValid([...(isKnown ? [] : [unknownFactory(factoryId)]), ...currencyProblems(sent, currency)])
}

/** Throws 409 for an organization with too many offers. The invitation is locked. */
export async function requireRoom(tx: Tx, orgId: string, rfqId: string, isNew = true): Promise<void> {
  const [count] = await queries.countOffers(tx, orgId, rfqId)
  if (!hasRoom(count, isNew)) {
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
  return new JsonText((await replaceContent(tx, orgId, row, patchedContent(offer, body), now)).document)
}

/** Replaces the content of a locked draft. The same content emits no event. */
export async function replaceContent(
  tx: Tx,
  orgId: string,
  { id, document }: Pick<queries.OwnOfferRow, 'id' | 'document'>,
  content: OfferContent,
  now: string,
) {
  const changed = found(await queries.updateContent(tx, { orgId, id }, content, now))
  if (changed.document !== document) await emitOfferEvent(tx, 'updated', changed)
  return changed
}

/** Submits an own draft; of two concurrent calls one gets 409. A revision supersedes the offer that it revises. */
export async function submitOffer(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, ifMatch, now }: CommandOf<typeof api.submitOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, orgId, params.id)
  requireMatch(ifMatch, locked.row.document)
  await requireLegal(tx, 'submit', locked, now)
  const { document, changes } = await submitLocked(tx, orgId, locked, now)
  await followers.updateCases(tx, changes, now)
  return new JsonText(document)
}

/** Submits a locked draft that was checked. The cases are updated by the caller, last in its transaction. */
export async function submitLocked(
  tx: Tx,
  orgId: string,
  { rfq, row }: LockedOffer,
  now: string,
): Promise<{ document: string; changes: RfqChange[] }> {
  const moved = found(await move(tx, 'submit', { orgId, id: row.id }, { rfq, now }))
  await queries.markOffered(tx, orgId, rfq.id, now)
  await emitOfferEvent(tx, 'submitted', moved)
  const superseded = await supersede(tx, orgId, row.previous_offer_id, now)
  const changes = [caseChange('submitted', moved), ...superseded.map((offer) => caseChange('superseded', offer))]
  return { document: moved.document, changes }
}

/** Supersedes the previous offer, unless it was withdrawn, rejected or has expired meanwhile. */
async function supersede(tx: Tx, orgId: string, id: string | null, now: string): Promise<readonly SharedOffer[]> {
  const superseded = id === null ? [] : await move(tx, 'supersede', { orgId, id }, { now })
  for (const offer of superseded) await emitOfferEvent(tx, 'superseded', offer)
  return superseded
}

/** Copies an own submitted offer and its documents into a draft with the next revision. */
export async function reviseOffer(
  deps: RfqDeps,
  { tx, caller, params, now, audit }: CommandOf<typeof api.reviseOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, caller.orgId, params.id)
  await requireLegal(tx, 'revise', locked, now)
  await requireRoom(tx, caller.orgId, locked.rfq.id)
  const revision = await draftRevision(deps, tx, caller, params.id, now)
  audit.add({ offerId: revision.id })
  return new JsonText(revision.document)
}

/** Drafts a revision of a locked offer that was checked. */
export async function draftRevision(
  { followers }: RfqDeps,
  tx: Tx,
  { orgId, userId: createdBy }: Pick<Caller, 'orgId' | 'userId'>,
  previousOfferId: string,
  now: string,
) {
  const id = newIdAt('offer', now)
  const [revision] = await queries.insertRevision(tx, { id, orgId, previousOfferId, createdBy }, now)
  await followers.copyDocuments(tx, previousOfferId, id, now)
  await emitOfferRevised(tx, revision, previousOfferId)
  return revision
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

/** Submits an own offer again that lost against others, whose order was declined or cancelled. */
export async function reinstateOffer(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.reinstateOffer>,
): Promise<JsonText> {
  const locked = await lockWithRfq(tx, orgId, params.id)
  await requireLegal(tx, 'reinstate', locked, now)
  await requireRoom(tx, orgId, locked.rfq.id, false)
  const reinstated = found(await queries.reinstate(tx, { orgId, id: params.id }, now))
  await emitOfferEvent(tx, 'reinstated', reinstated)
  await followers.updateCases(tx, [caseChange('reinstated', reinstated)], now)
  return new JsonText(reinstated.document)
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
  // The RFQ is locked before the offer, as in awards and their ends.
  if (verb === 'withdraw') await requireLegal(tx, verb, await lockWithRfq(tx, orgId, params.id), now)
  else {
    await queries.lockRfqOf(tx, orgId, OFFER.verbs[verb].by, params.id)
    const { document } = found(await queries.lockOffer(tx, orgId, OFFER.verbs[verb].by, params.id))
    requireTransition(OFFER, verb, stateAt(JSON.parse(document), now))
  }
  const moved = found(await move(tx, verb, { orgId, id: params.id }, { reason, now }))
  await emitOfferEvent(tx, EVENT_NAMES[verb], moved)
  await followers.updateCases(tx, [caseChange(EVENT_NAMES[verb], moved)], now)
  return new JsonText(moved.document)
}

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
