import type { FieldError } from '../../../proto/errors.ts'
import type { CaseEvent } from '../../../proto/events/events.ts'
import type * as api from '../../../proto/http/sourcing/cases.ts'
import { type Case, MAX_CASES, MAX_CASES_OF_ALL, MAX_OPEN_CASES } from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { CASE } from '../../../proto/states/cases.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, notFound, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { notifyParties } from '../notifications/emit.ts'
import { partiesOfOrder } from '../orders/parties.ts'
import { findOrder } from '../orders/queries.ts'
import * as queries from './queries.ts'
import {
  type CaseVerb,
  contentOf,
  GUARDS,
  hasRoom,
  orderProblem,
  partyProblems,
  patchedContent,
  rfqProblem,
  unknownOrder,
  unknownRfq,
} from './rules.ts'

/** Creates a case of the caller's organization. */
export async function createCase({
  tx,
  caller: { orgId, userId: createdBy },
  body,
  now,
  audit,
}: CommandOf<typeof api.createCase>): Promise<Case> {
  const { kind, rfqId = null, orderId = null } = body
  const subject = { ...body, orgId }
  const partyOrgIds = await requireParties(tx, subject, body.partyOrgIds, now)
  await requireRoom(tx, subject, true)
  const id = newIdAt('case', now)
  const [row] = await queries.insertCase(
    tx,
    { id, kind, rfqId, orderId, orgId, createdBy, partyOrgIds, ...contentOf(body) },
    now,
  )
  audit.add({ caseId: id })
  const created: Case = JSON.parse(row.document)
  await notifyParties(tx, [{ type: 'cases.created', data: { case: created } }])
  return { ...created, unreadCount: 0 }
}

interface Relation {
  /** The parties to a case. */
  partyOrgIds: string[]
  /** Why there can no longer be a case. */
  problem?: FieldError | undefined
}

/** The relation of an organization to the record of its case; undefined where it cannot read the record. */
async function relationOf(
  tx: Tx,
  { id, orgId, rfqId, orderId }: queries.CaseSubject,
  now: string,
): Promise<Relation | undefined> {
  if (orderId !== undefined) {
    const [row] = await findOrder(tx, orgId, orderId)
    const order: Order | undefined = row && JSON.parse(row.document)
    return order && { partyOrgIds: partiesOfOrder(order), problem: orderProblem(order, now) }
  }
  if (rfqId === undefined) return { partyOrgIds: [orgId] }
  const [rfq] = await queries.findRfqRelation(tx, orgId, rfqId, id)
  return rfq && { partyOrgIds: [...new Set([orgId, rfq.consumerOrgId])], problem: rfqProblem(rfq, now) }
}

/** The parties to a new case. Throws 400 for a record that is not readable, 409 for one that can have no case. */
async function requireParties(
  tx: Tx,
  subject: queries.CaseSubject,
  named: readonly string[] | undefined,
  now: string,
): Promise<string[]> {
  const relation = await relationOf(tx, subject, now)
  if (!relation) {
    const { rfqId = '', orderId } = subject
    throw invalid([orderId === undefined ? unknownRfq(rfqId) : unknownOrder(orderId)])
  }
  const { partyOrgIds, problem } = relation
  requireValid(partyProblems(named ?? [], partyOrgIds))
  if (problem) throw refuse('illegal_transition', { errors: [problem] })
  return named ? partyOrgIds.filter((orgId) => orgId === subject.orgId || named.includes(orgId)) : partyOrgIds
}

/** Throws 409 for an organization with too many cases about the record. Other commands that open one about it wait. */
async function requireRoom(tx: Tx, subject: queries.CaseSubject, isNew: boolean): Promise<void> {
  if (subject.rfqId === undefined && subject.orderId === undefined) return
  await queries.lockCasesAbout(tx, subject)
  const [count] = await queries.countCasesAbout(tx, subject)
  if (!hasRoom(count, isNew)) {
    throw refuse('limit_reached', {
      detail:
        `An organization has at most ${MAX_OPEN_CASES} OPEN cases of its own about one record, ` +
        `and ${MAX_CASES} with those that it closed itself. All organizations together have at most ` +
        `${MAX_CASES_OF_ALL}; beyond that, each one still has its first ${MAX_OPEN_CASES}.`,
    })
  }
}

/** Changes title and description. A patch without a change writes nothing. */
export async function patchCase({
  tx,
  caller: { orgId },
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchCase>): Promise<JsonText> {
  const { document, own_document: ownDocument } = found(await queries.lockCase(tx, orgId, params.id))
  const present: Case = JSON.parse(document)
  requireMatch(ifMatch, ownDocument)
  await requireLegal(tx, 'edit', present, now)
  const content = patchedContent(present, body)
  if (Bun.deepEquals(content, contentOf(present))) return new JsonText(ownDocument)
  const changed = found(await queries.updateContent(tx, { orgId, id: present.id }, content, now))
  await notifyParties(tx, [{ type: 'cases.updated', data: { case: JSON.parse(changed.document) } }])
  return new JsonText(changed.own_document)
}

const EVENT_TYPES = {
  close: 'cases.closed',
  reopen: 'cases.updated',
  archive: 'cases.archived',
  unarchive: 'cases.unarchived',
} as const satisfies Partial<Record<CaseVerb, CaseEvent['type']>>

type CaseMove = keyof typeof EVENT_TYPES

/** Moves a case by a verb of its parties; of two concurrent calls one gets 409. */
export async function moveCase(
  verb: CaseMove,
  { tx, caller: { orgId }, params, now }: CommandOf<(typeof api)[`${CaseMove}Case`]>,
): Promise<JsonText> {
  const present = await lockCase(tx, orgId, params.id)
  const { to, by } = CASE.verbs[verb]
  const isForCloser = by.some((actor) => actor === 'closer')
  if (isForCloser && (present.closedByOrgId ?? orgId) !== orgId) throw notFound()
  await requireLegal(tx, verb, present, now)
  if (to === 'OPEN') await requireRoom(tx, present, false)
  const change = { to, closedByOrgId: closedByAfter(verb, present, orgId) }
  const moved = found(await queries.moveState(tx, { orgId, id: params.id }, change, now))
  await notifyParties(tx, [{ type: EVENT_TYPES[verb], data: { case: JSON.parse(moved.document) } }])
  return new JsonText(moved.own_document)
}

/** The organization that counts as the closer of the case after the verb. */
function closedByAfter(verb: CaseMove, { closedByOrgId }: Case, orgId: string): string | null {
  if (verb === 'close') return orgId
  return verb === 'reopen' ? null : (closedByOrgId ?? null)
}

/** A case of the organization, locked until the transaction ends; otherwise 404. */
export async function lockCase(tx: Tx, orgId: string, id: string): Promise<Case> {
  return JSON.parse(found(await queries.lockCase(tx, orgId, id)).document)
}

/** Throws 409 for a verb that the state or a guard does not allow. */
export async function requireLegal(tx: Tx, verb: CaseVerb, present: Case, now: string): Promise<void> {
  const { closedByOrgId, partyOrgIds } = present
  await requireGuards(CASE, verb, present.state, {
    guards: GUARDS,
    // A case of one organization needs no relation, because no other is notified.
    facts: async () => ({
      closedByOrgId,
      relation: partyOrgIds.length === 1 ? undefined : await relationOf(tx, present, now),
    }),
  })
}
