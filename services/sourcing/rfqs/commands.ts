import type * as api from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { MAX_AMENDMENTS, type Rfq, type RfqInput, type RfqPatch } from '../../../proto/http/sourcing/rfqs.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { noSuch } from '../../../proto/messages.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf, FieldsOf, PreparationOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newIdAt, withSerialNumber } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { caseChange, causeOf, emitRfqEvent, emitRfqInvited } from './events.ts'
import type { RfqDeps } from './followers.ts'
import * as queries from './queries.ts'
import {
  amendedContent,
  type ConsumerVerb,
  contentOf,
  contentProblems,
  GUARDS,
  hasTooManyAmendments,
  hasTooManyInvitees,
  inviteeProblems,
  partiesOf,
  patchedContent,
  type RfqContent,
  readersOfChange,
  stateAt,
  writableFields,
} from './rules.ts'

/** Creates a draft of the caller's organization. */
export async function createRfq({ tx, caller, body, now }: CommandOf<typeof api.createRfq>) {
  const content = contentOf(body)
  requireConsistent(content)
  const part = await requireReferences(tx, caller.orgId, content, body)
  requireSubscription(part)
  const id = newIdAt('rfq', now)
  const { document } = await withSerialNumber('R', (serialNumber) =>
    queries.insertRfq(
      tx,
      { id, serialNumber, consumerOrgId: caller.orgId, createdBy: caller.userId },
      part,
      content,
      now,
    ),
  )
  const rfq: Rfq = JSON.parse(document)
  await emitRfqEvent(tx, 'created', rfq)
  return rfq
}

/** Throws 400 for fields that contradict each other. */
function requireConsistent(content: RfqContent): void {
  const problems = contentProblems(content)
  if (problems.length > 0) throw invalid(problems)
}

/** Locks the part; throws 400 for a part or a sent invitee that the consumer may not name. */
async function requireReferences(
  tx: Tx,
  orgId: string,
  { partId }: RfqContent,
  sent: RfqInput | RfqPatch,
): Promise<queries.PartRow> {
  const [part] = await queries.lockPart(tx, orgId, partId)
  if (!part) throw invalidField('partId', noSuch('part', partId))
  await requireInvitees(tx, orgId, sent.manufacturerIds ?? [])
  return part
}

/** Throws 409 for a part that requires a subscription where the consumer has none. */
function requireSubscription({ needs_subscription: isMissing }: queries.PartRow): void {
  if (isMissing) throw refuse('subscription_required', { detail: 'The part requires a subscription.' })
}

async function requireInvitees(tx: Tx, orgId: string, sent: readonly string[]): Promise<void> {
  const problems = inviteeProblems(sent, await queries.findInvitees(tx, orgId, sent))
  if (problems.length > 0) throw invalid(problems)
}

/** Changes the content of an own draft. A patch without a change writes nothing. */
export async function patchRfq({
  tx,
  caller,
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchRfq>): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  const content = patchedContent(rfq, body)
  requireConsistent(content)
  // The stored references of a published RFQ are not checked, because it cannot be patched.
  const part = RFQ.isLegal('patch', rfq.state) ? await requireReferences(tx, caller.orgId, content, body) : undefined
  requireMatch(ifMatch, document)
  if (!part) throw refuse('illegal_transition', { detail: RFQ.refusal('patch', rfq.state) })
  if (content.partId !== rfq.partId) requireSubscription(part)

  if (Bun.deepEquals(content, contentOf(writableFields(rfq)))) return new JsonText(document)
  const { document: changed } = found(
    await queries.updateContent(tx, { orgId: caller.orgId, id: rfq.id }, part, content, now),
  )
  await emitRfqEvent(tx, 'updated', JSON.parse(changed))
  return new JsonText(changed)
}

/** Adds invitees to an own RFQ, and invites those again that declined. Other present ones stay as they are. */
export async function inviteToRfq(
  { followers }: RfqDeps,
  { tx, caller, params, body, now }: CommandOf<typeof api.inviteToRfq>,
): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  await requireInvitees(tx, caller.orgId, body.manufacturerIds)
  await requireLegal(tx, 'invite', rfq, { part: await lockPartFor(tx, 'invite', rfq), now })
  const added = [...new Set(body.manufacturerIds)].filter((id) => !rfq.manufacturerIds.includes(id))
  const manufacturerIds = [...rfq.manufacturerIds, ...added]
  if (hasTooManyInvitees(manufacturerIds)) {
    throw refuse('limit_reached', { detail: 'An RFQ has at most 100 invited manufacturers.' })
  }
  const declined = await queries.renewInvitations(tx, rfq.id, body.manufacturerIds, now)
  const invited = [...declined.map(({ org_id: orgId }) => orgId), ...added]
  if (invited.length === 0) return new JsonText(document)
  const key = { orgId: caller.orgId, id: rfq.id }
  const { document: changed } = found(await queries.updateManufacturers(tx, key, manufacturerIds, now))
  if (rfq.state === 'OPEN') await queries.insertInvitations(tx, rfq.id, added, now)
  await emitRfqInvited(tx, rfq, invited)
  if (rfq.state === 'OPEN') await followers.openCases(tx, rfq, invited, causeOf('invited', rfq), now)
  return new JsonText(changed)
}

interface PreparedAmendment {
  changeFiles: ((tx: Tx) => Promise<void>) | undefined
}

/** Finds the objects of added documents, because a transaction must not wait for the store. */
export async function prepareAmendment(
  { sql, followers }: RfqDeps & { sql: Pool },
  { caller: { orgId }, params, body: { files }, now }: PreparationOf<typeof api.amendRfq>,
): Promise<PreparedAmendment> {
  const { id: rfqId } = found(await queries.findOwnRfq(sql, orgId, params.id))
  return { changeFiles: files && (await followers.prepareRfqFiles({ orgId, rfqId, files, now })) }
}

/** Changes terms of an own OPEN RFQ, or the revision of its part. Submitted offers for it may become outdated. */
export async function amendRfq(
  { followers }: RfqDeps,
  { tx, caller, params, body, ifMatch, changeFiles, now }: CommandOf<typeof api.amendRfq> & PreparedAmendment,
): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  const { content, extended } = amendedContent(rfq, body)
  requireConsistent(content)
  requireMatch(ifMatch, document)
  const part = await lockPartFor(tx, 'amend', rfq)
  await requireLegal(
    tx,
    'amend',
    { ...rfq, quantities: content.quantities },
    { part, now, newExpireTime: content.expireTime, requestedDeliveryDate: content.requestedDeliveryDate ?? null },
  )
  const pinned = body.partRevision === 'CURRENT' && part?.revision !== rfq.partRevision ? part : undefined
  const isNewVersion = pinned !== undefined || changeFiles !== undefined || !Bun.deepEquals(extended, content)
  if (!isNewVersion && content.expireTime === rfq.expireTime) return new JsonText(document)
  if (isNewVersion && hasTooManyAmendments(rfq)) {
    throw refuse('limit_reached', {
      detail: `An RFQ has at most ${MAX_AMENDMENTS} amendments of more than its expiry.`,
    })
  }
  if (pinned) await queries.pinPart(tx, rfq.partId, now)
  const change = { reason: body.reason, isNewVersion, pinned }
  const amended = found(await queries.amendContent(tx, { orgId: caller.orgId, id: rfq.id }, content, change, now))
  await emitRfqEvent(tx, 'amended', rfq)
  const isInOutline =
    pinned !== undefined || content.expireTime !== rfq.expireTime || !Bun.deepEquals(content.quantities, rfq.quantities)
  const orgIds = readersOfChange(rfq, await queries.listUnaware(tx, rfq.id, { isInOutline }))
  await followers.updateCases(tx, [{ ...caseChange('amended', rfq), orgIds }], now)
  await changeFiles?.(tx)
  return new JsonText(amended.document)
}

const EVENT_NAMES = {
  publish: 'published',
  extend: 'extended',
  close: 'closed',
  reopen: 'reopened',
  cancel: 'cancelled',
} as const
type RfqMove = keyof typeof EVENT_NAMES

/** Moves an own RFQ by its verb; of two concurrent calls one gets 409. */
export async function moveRfq(
  verb: RfqMove,
  { followers }: RfqDeps,
  { tx, caller, params, body, ifMatch, now }: CommandOf<(typeof api)[`${RfqMove}Rfq`]>,
): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  requireMatch(ifMatch, document)
  const { expireTime, reason }: FieldsOf<typeof body> = body ?? {}
  const newExpireTime = expireTime === undefined ? rfq.expireTime : utcOf(expireTime)
  const part = await lockPartFor(tx, verb, rfq)
  await requireLegal(tx, verb, rfq, { part, now, newExpireTime })
  const key = { orgId: caller.orgId, id: rfq.id }
  const hasExpired = stateAt(rfq, now) !== rfq.state
  if (hasExpired) await closeExpired(tx, rfq, now)
  const change = {
    from: RFQ.verbs[verb].from,
    to: RFQ.stateAfter(verb, rfq.state),
    expireTime: newExpireTime,
    cancelReason: reason ?? null,
    partRevision: part?.revision,
  }
  if (verb === 'publish') await queries.pinPart(tx, rfq.partId, now)
  // Before the move, whose answer tells how many questions are left.
  if (verb === 'cancel') await followers.endQuestions(tx, rfq, now)
  const [moved] = await queries.moveState(tx, key, change, now)
  if (!moved) throw refuse('illegal_transition', { detail: 'The state of the RFQ has changed.' })
  if (verb === 'publish') await queries.insertInvitations(tx, rfq.id, rfq.manufacturerIds, now)
  if (verb === 'publish' && rfq.releaseFiles) await followers.releaseFiles(tx, rfq.id, rfq.manufacturerIds, now)
  await emitRfqEvent(tx, EVENT_NAMES[verb], rfq)
  if (verb === 'cancel') await followers.rejectOffers(tx, rfq.id, now)
  if (hasExpired) await followers.updateCases(tx, [caseChange('closed', rfq)], now)
  if (verb === 'publish') await followers.openCases(tx, rfq, partiesOf(rfq), causeOf('published', rfq), now)
  else await followers.updateCases(tx, [{ ...caseChange(EVENT_NAMES[verb], rfq), ends: verb === 'cancel' }], now)
  return new JsonText(moved.document)
}

/** Closes an RFQ that expired before the worker saw it, for its history. The caller updates its cases. */
export async function closeExpired(tx: Tx, rfq: Rfq, now: string): Promise<void> {
  const { from, to } = RFQ.verbs.expire
  const change = { from, to, expireTime: rfq.expireTime, cancelReason: null }
  await queries.moveState(tx, { orgId: rfq.consumerOrgId, id: rfq.id }, change, now)
  await emitRfqEvent(tx, 'closed', rfq)
}

/** Deletes an own draft. */
export async function deleteRfq({ tx, caller, params, now }: CommandOf<typeof api.deleteRfq>): Promise<undefined> {
  const { rfq } = await lockOwn(tx, caller.orgId, params.id)
  await requireLegal(tx, 'delete', rfq, { now })
  await queries.deleteRfq(tx, caller.orgId, rfq.id)
  await emitRfqEvent(tx, 'deleted', rfq)
  return undefined
}

/** An RFQ of the caller's organization, locked. */
async function lockOwn(tx: Tx, orgId: string, id: string): Promise<{ document: string; rfq: Rfq }> {
  const { document } = found(await queries.lockOwnRfq(tx, orgId, id))
  return { document, rfq: JSON.parse(document) }
}

/** The part that a verb needs, locked. Undefined where it needs none, or where it is not available. */
async function lockPartFor(tx: Tx, verb: ConsumerVerb, { consumerOrgId, partId }: Rfq) {
  if (!RFQ.guards(verb).includes('partIsAvailable')) return undefined
  const [part] = await queries.lockPart(tx, consumerOrgId, partId)
  return part
}

/** Throws 409 for a verb that the state or a guard does not allow, and for the missing subscription to its part. */
async function requireLegal(
  tx: Tx,
  verb: ConsumerVerb,
  rfq: Rfq,
  {
    part,
    now,
    newExpireTime = rfq.expireTime,
    requestedDeliveryDate = rfq.requestedDeliveryDate ?? null,
  }: {
    part?: queries.PartRow | undefined
    now: string
    newExpireTime?: string
    requestedDeliveryDate?: string | null
  },
): Promise<void> {
  await requireGuards(RFQ, verb, stateAt(rfq, now), {
    guards: GUARDS,
    async facts() {
      const { consumerOrgId, manufacturerIds } = rfq
      const invitees = RFQ.guards(verb).includes('inviteesQualify')
        ? await queries.findInvitees(tx, consumerOrgId, manufacturerIds)
        : []
      return {
        ...rfq,
        requestedDeliveryDate: requestedDeliveryDate ?? undefined,
        newExpireTime,
        invitees,
        isPartAvailable: part !== undefined,
        isPartInternal: part?.internal ?? false,
        now,
      }
    },
  })
  if (part) requireSubscription(part)
}
