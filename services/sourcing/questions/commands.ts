import type * as api from '../../../proto/http/sourcing/rfq-questions.ts'
import { MAX_CLARIFICATIONS, type Question } from '../../../proto/http/sourcing/rfq-questions.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { QUESTION } from '../../../proto/states/questions.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalidField, notFound, refuse } from '../../kit/errors/refusal.ts'
import { causeOf } from '../rfqs/events.ts'
import type { RfqDeps, RfqSubject } from '../rfqs/followers.ts'
import { stateAt } from '../rfqs/rules.ts'
import { emitClarified, emitQuestionEvents } from './events.ts'
import * as queries from './queries.ts'
import {
  ASK_GUARDS,
  hasRoom,
  permissionsToAnswer,
  type Reader,
  readersOfQuestion,
  repeatsQuestion,
  TOO_MANY_CLARIFICATIONS,
  TOO_MANY_QUESTIONS,
} from './rules.ts'

/** Asks a question of an invited manufacturer. */
export async function askQuestion(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.askRfqQuestion>,
): Promise<JsonText> {
  const { rfq, reader } = await lockRfq(tx, orgId, params.id)
  if (reader.role !== 'INVITEE') throw notFound()
  await requireGuards(RFQ, 'ask', stateAt(rfq, now), { guards: ASK_GUARDS, facts: () => reader })
  const [counts] = await queries.countQuestions(tx, orgId, rfq.id)
  if (!hasRoom(counts)) throw refuse('limit_reached', { detail: TOO_MANY_QUESTIONS })
  const id = newIdAt('question', now)
  const [{ document }] = await queries.insertQuestion(tx, { id, rfqId: rfq.id, orgId, text: body.text }, now)
  await queries.updateUnanswered(tx, [rfq.id])
  audit.add({ questionId: id })
  await emitQuestionEvents(tx, 'questionAsked', rfq, [{ id, askedByOrgId: orgId }])
  const change = { rfqId: rfq.id, orgIds: readersOfQuestion(rfq, [orgId]), cause: causeOf('questionAsked', rfq) }
  await followers.updateCases(tx, [change], now)
  return new JsonText(document)
}

/** Answers a question, to its asker or to all. */
export async function answerQuestion(
  { followers }: RfqDeps,
  { tx, caller, params, body, now }: CommandOf<typeof api.answerRfqQuestion>,
): Promise<JsonText> {
  const { rfq } = await lockAnswered(tx, caller, params.id)
  const question = await findAsked(tx, rfq.id, params.questionId)
  if (repeatsQuestion(body, question.text)) {
    throw invalidField('publishedText', "must be your own words, not the asker's")
  }
  requireTransition(QUESTION, 'answer', question.state)
  const { text, audience, publishedText = null } = body
  const publishedId = audience === 'ALL' ? newIdAt('question', now) : null
  const answer = { id: question.id, orgId: caller.orgId, text, audience, publishedText, publishedId }
  const { document } = found(await queries.answerQuestion(tx, rfq.id, answer, now))
  await queries.updateUnanswered(tx, [rfq.id])
  await emitQuestionEvents(tx, 'questionAnswered', rfq, [question])
  const invitees = audience === 'ALL' ? await inviteesOf(tx, rfq.id) : []
  const orgIds = readersOfQuestion(rfq, [question.askedByOrgId, ...invitees])
  await followers.updateCases(tx, [{ rfqId: rfq.id, orgIds, cause: causeOf('questionAnswered', rfq) }], now)
  return new JsonText(document)
}

/** Dismisses a question. */
export async function dismissQuestion(
  { followers }: RfqDeps,
  { tx, caller, params, now }: CommandOf<typeof api.dismissRfqQuestion>,
): Promise<JsonText> {
  const { rfq } = await lockAnswered(tx, caller, params.id)
  const question = await findAsked(tx, rfq.id, params.questionId)
  requireTransition(QUESTION, 'dismiss', question.state)
  const { document } = found(await queries.dismissQuestions(tx, [rfq.id], question.id, now))
  await queries.updateUnanswered(tx, [rfq.id])
  await emitQuestionEvents(tx, 'questionDismissed', rfq, [question])
  const orgIds = readersOfQuestion(rfq, [question.askedByOrgId])
  await followers.updateCases(tx, [{ rfqId: rfq.id, orgIds, cause: causeOf('questionDismissed', rfq) }], now)
  return new JsonText(document)
}

/** Publishes a clarification to every invited manufacturer. */
export async function clarify(
  { followers }: RfqDeps,
  { tx, caller, params, body, now, audit }: CommandOf<typeof api.clarifyRfq>,
): Promise<JsonText> {
  const { orgId } = caller
  const { rfq } = await lockAnswered(tx, caller, params.id)
  requireTransition(RFQ, 'clarify', stateAt(rfq, now))
  const [{ count }] = await queries.countClarifications(tx, rfq.id)
  if (count >= MAX_CLARIFICATIONS) throw refuse('limit_reached', { detail: TOO_MANY_CLARIFICATIONS })
  const id = newIdAt('question', now)
  const [{ document }] = await queries.insertClarification(tx, { id, rfqId: rfq.id, orgId, text: body.text }, now)
  audit.add({ questionId: id })
  await emitClarified(tx, rfq, id, orgId)
  const orgIds = readersOfQuestion(rfq, await inviteesOf(tx, rfq.id))
  await followers.updateCases(tx, [{ rfqId: rfq.id, orgIds, cause: causeOf('clarified', rfq) }], now)
  return new JsonText(document)
}

/** Dismisses the unanswered questions about RFQs that end. Their cases are updated by their end. */
export async function endQuestions(tx: Tx, rfqs: readonly RfqSubject[], now: string): Promise<void> {
  const ids = rfqs.map(({ id }) => id)
  const dismissed = await queries.dismissQuestions(tx, ids, undefined, now)
  if (dismissed.length === 0) return
  await queries.updateUnanswered(tx, ids)
  for (const rfq of rfqs) {
    const questions = dismissed.filter(({ rfq_id: rfqId }) => rfqId === rfq.id)
    await emitQuestionEvents(
      tx,
      'questionDismissed',
      rfq,
      questions.map(({ id, org_id: askedByOrgId }) => ({ id, askedByOrgId })),
    )
  }
}

/** An RFQ that the organization reads, locked, so that its invitations stay as they are, and what it is to it. */
async function lockRfq(tx: Tx, orgId: string, id: string): Promise<{ rfq: Rfq; reader: Reader }> {
  const { document } = found(await queries.lockRfq(tx, orgId, id))
  return { rfq: JSON.parse(document), reader: found(await queries.findReader(tx, orgId, id)) }
}

/** An RFQ whose questions the caller answers; 404 for an invitee, 403 without the permission of its role. */
async function lockAnswered(tx: Tx, caller: Caller, id: string) {
  const locked = await lockRfq(tx, caller.orgId, id)
  const anyOf = permissionsToAnswer(locked.reader)
  if (anyOf.length === 0) throw notFound()
  requirePermission(caller, anyOf)
  return locked
}

/** A question with its asker and its words. */
async function findAsked(tx: Tx, rfqId: string, id: string) {
  const { document } = found(await queries.findQuestion(tx, rfqId, id))
  return JSON.parse(document) as Question & Required<Pick<Question, 'askedByOrgId' | 'text'>>
}

const inviteesOf = async (tx: Tx, rfqId: string): Promise<string[]> =>
  (await queries.listInvitees(tx, rfqId)).map(({ org_id: orgId }) => orgId)
