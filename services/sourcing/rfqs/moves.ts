import type * as api from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { MAX_PACKAGE_INVITATIONS } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf, FieldsOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { caseChange, causeOf, emitRfqEvents } from './events.ts'
import type { RfqChange, RfqDeps } from './followers.ts'
import { type EachRfq, lockOwn, requireLegal } from './legality.ts'
import * as queries from './move-queries.ts'
import { markChanged } from './part-changes.ts'
import { partiesOf, readersOfChange, stateAt } from './rules.ts'

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
  deps: RfqDeps,
  { tx, caller, params, body, ifMatch, now }: CommandOf<(typeof api)[`${RfqMove}Rfq`]>,
): Promise<JsonText> {
  const { document, rfq } = await lockOwn(tx, caller.orgId, params.id)
  requireMatch(ifMatch, document)
  const { expireTime, reason }: FieldsOf<typeof body> = body ?? {}
  const moved = await moveRfqs(verb, deps, tx, [rfq], { expireTime, reason, now })
  return new JsonText(moved[0]?.document ?? document)
}

interface Move {
  expireTime?: string | undefined
  reason?: string | undefined
  now: string
  eachRfq?: EachRfq
}

/**
 * Moves locked RFQs of one consumer by a verb, all or none, with what follows in other features. One RFQ and the lines
 * of a package are moved by the same statements.
 */
export async function moveRfqs(
  verb: RfqMove,
  { followers }: RfqDeps,
  tx: Tx,
  rfqs: readonly Rfq[],
  { expireTime, reason, now, eachRfq }: Move,
): Promise<readonly queries.MovedRfq[]> {
  const [first] = rfqs
  if (!first) return []
  const newExpireTime = expireTime === undefined ? undefined : utcOf(expireTime)
  const parts = await requireLegal(tx, verb, rfqs, { now, newExpireTime, eachRfq })
  const expired = rfqs.filter((rfq) => stateAt(rfq, now) !== rfq.state)
  await closeExpired(tx, expired, now)
  if (verb === 'publish') await queries.pinParts(tx, [...parts.keys()], now)
  // Before the move, whose answer tells how many questions are left.
  if (verb === 'cancel') await followers.endQuestions(tx, rfqs, now)
  const to = RFQ.stateAfter(verb, stateAt(first, now))
  const change = { to, expireTime: newExpireTime, cancelReason: reason }
  const revised = rfqs.map(({ id, partId }) => ({ id, currentRevision: parts.get(partId)?.revision }))
  const moved = await queries.moveStates(tx, first.consumerOrgId, revised, change, now)
  if (verb === 'publish') await invite(tx, { followers }, rfqs, now)
  await emitRfqEvents(tx, EVENT_NAMES[verb], rfqs)
  if (verb === 'cancel') await followers.rejectOffers(tx, idsOf(rfqs), now)
  const closed = expired.map((rfq) => caseChange('closed', rfq))
  await followers.updateCases(tx, closed, now)
  if (verb === 'publish') {
    const openings = rfqs.map((rfq) => ({ rfq, orgIds: partiesOf(rfq), cause: causeOf('published', rfq) }))
    await followers.openCases(tx, openings, now)
  } else {
    await followers.updateCases(tx, await changesOf(tx, verb, rfqs), now)
  }
  // A publication pins the present revision, and a change of a part marks only RFQs that are OPEN.
  if (verb === 'publish' || to !== 'OPEN') return moved
  const marked = new Map((await markChanged(tx, followers, idsOf(rfqs), now)).map((rfq) => [rfq.id, rfq]))
  return moved.map((rfq) => marked.get(rfq.id) ?? rfq)
}

/**
 * The changes of the cases. A manufacturer that has declined reads the state of an RFQ, but not its later expiry, and
 * its case stays closed. Other cases that an award closed are open again where the RFQ is.
 */
async function changesOf(tx: Tx, verb: Exclude<RfqMove, 'publish'>, rfqs: readonly Rfq[]): Promise<RfqChange[]> {
  const declined = verb === 'extend' || verb === 'reopen' ? await queries.listDeclined(tx, idsOf(rfqs)) : []
  return rfqs.map((rfq) => {
    const change = caseChange(EVENT_NAMES[verb], rfq)
    const readers = readersOfChange(
      rfq,
      declined.filter(({ rfq_id: rfqId }) => rfqId === rfq.id),
    )
    if (verb === 'extend') return { ...change, orgIds: readers }
    return verb === 'reopen' ? { ...change, resumedFor: readers } : { ...change, ends: verb === 'cancel' }
  })
}

/** Throws 409 where a package has got more invitations than one that is created may have. */
export async function requirePackageSize(tx: Tx, rfqs: readonly Pick<Rfq, 'packageId'>[]): Promise<void> {
  const packageIds = [...new Set(rfqs.flatMap(({ packageId }) => packageId ?? []))]
  if (packageIds.length === 0) return
  // A later transaction counts what an earlier one has added.
  for (const id of packageIds.toSorted()) await queries.lockPackageSize(tx, id)
  const [largest] = await queries.countPackageInvitations(tx, packageIds)
  if ((largest?.count ?? 0) <= MAX_PACKAGE_INVITATIONS) return
  throw refuse('limit_reached', { detail: `A package has at most ${MAX_PACKAGE_INVITATIONS} invitations.` })
}

/** Invites the manufacturers of published RFQs, and releases files to them where the drafts say so. */
async function invite(tx: Tx, { followers }: RfqDeps, rfqs: readonly Rfq[], now: string): Promise<void> {
  const invitations = rfqs.flatMap(({ id, manufacturerIds }) => manufacturerIds.map((orgId) => ({ rfqId: id, orgId })))
  await queries.insertInvitations(tx, invitations, now)
  await requirePackageSize(tx, rfqs)
  for (const { id, releaseFiles, manufacturerIds } of rfqs) {
    if (releaseFiles) await followers.releaseFiles(tx, id, manufacturerIds, now)
  }
}

const idsOf = (rfqs: readonly Rfq[]) => rfqs.map(({ id }) => id)

/** Closes RFQs that expired before the worker saw it, for their history. The caller updates their cases. */
export async function closeExpired(tx: Tx, rfqs: readonly Rfq[], now: string): Promise<void> {
  const [first] = rfqs
  if (!first) return
  const moving = rfqs.map(({ id }) => ({ id }))
  await queries.moveStates(tx, first.consumerOrgId, moving, { to: RFQ.verbs.expire.to }, now)
  await emitRfqEvents(tx, 'closed', rfqs)
}
