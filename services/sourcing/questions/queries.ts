import { QUESTION } from '../../../proto/states/questions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { isConsumer, isInvited, isIpOwner } from '../rfqs/visibility.ts'
import type { Reader } from './rules.ts'
import { isAsker, isPublished } from './visibility.ts'

/**
 * What an organization is to the questions about an RFQ; no row where it may not read the RFQ, or has not accepted its
 * confidentiality terms.
 */
export const findReader = (sql: Sql, orgId: string, rfqId: string) => sql<Reader[]>`
  select
    case when ${isConsumer(sql, orgId)} then 'CONSUMER' when invitation.state is not null then 'INVITEE' else 'IP_OWNER' end
      as role,
    ip_owner_org_id = ${orgId} as "isIpOwner", coalesce(invitation.state = 'DECLINED', false) as "isDeclined"
  from sourcing.rfqs
  left join lateral (
    select state, awaits_acceptance from sourcing.rfq_invitations where rfq_id = rfqs.id and ${isInvited(sql, orgId)}
  ) invitation on true
  where id = ${rfqId} and (
    ${isConsumer(sql, orgId)}
    or ((${isIpOwner(sql, orgId)}) or invitation.state is not null) and invitation.awaits_acceptance is not true)`

/**
 * The JSON of an RFQ that an organization reads, locked until the transaction ends, so that commands come one by one.
 */
export const lockRfq = (tx: Tx, orgId: string, rfqId: string) => tx<{ document: string }[]>`
  select document from sourcing.rfqs
  where id = ${rfqId} and (
    ${isConsumer(tx, orgId)} or (${isIpOwner(tx, orgId)})
    or exists (select from sourcing.rfq_invitations where rfq_id = rfqs.id and ${isInvited(tx, orgId)}))
  for update`

/** Newest first: all questions about an RFQ. */
export const listQuestions = (sql: Sql, rfqId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select id as position, document from sourcing.rfq_questions
  where rfq_id = ${rfqId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** Newest first: the questions of an organization and, unless it has declined, what was answered to all. */
export function listQuestionsFor(
  sql: Sql,
  rfqId: string,
  { orgId, isDeclined }: { orgId: string; isDeclined: boolean },
  { after = NEWEST_ID, limit, offset }: PageWindow,
) {
  const rows = limit + offset
  return sql<DocumentRow[]>`
    select position, document
    from (
      (select id as position, document from sourcing.rfq_questions
      where rfq_id = ${rfqId} and ${isAsker(sql, orgId)} and id < ${after}
      order by id desc limit ${rows})
      union all
      (select published_id, published_document from sourcing.rfq_questions
      where rfq_id = ${rfqId} and ${isPublished(sql, orgId)} and published_id < ${after} and ${!isDeclined}
      order by published_id desc limit ${rows})
    ) readable
    order by position desc limit ${limit} offset ${offset}`
}

/** A question, but no clarification. The caller has locked the RFQ. */
export const findQuestion = (tx: Tx, rfqId: string, id: string) => tx<{ document: string }[]>`
  select document from sourcing.rfq_questions where id = ${id} and rfq_id = ${rfqId} and org_id is not null`

/** The questions about an RFQ: those of an organization, and all. */
export const countQuestions = (tx: Tx, orgId: string, rfqId: string) => tx<[{ own: number; all: number }]>`
  select count(*) filter (where ${isAsker(tx, orgId)})::integer as own, count(org_id)::integer as all
  from sourcing.rfq_questions where rfq_id = ${rfqId}`

export const countClarifications = (tx: Tx, rfqId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.rfq_questions where rfq_id = ${rfqId} and org_id is null`

interface NewQuestion {
  id: string
  rfqId: string
  orgId: string
  text: string
}

export const insertQuestion = (tx: Tx, { id, rfqId, orgId, text }: NewQuestion, now: string) => tx<
  [{ document: string }]
>`
  insert into sourcing.rfq_questions (id, rfq_id, org_id, state, text, created_at)
  values (${id}, ${rfqId}, ${orgId}, ${QUESTION.initial}, ${text}, ${now})
  returning document`

/** A clarification is an answer to all, and has the same id for all. */
export const insertClarification = (tx: Tx, { id, rfqId, orgId, text }: NewQuestion, now: string) => tx<
  [{ document: string }]
>`
  insert into sourcing.rfq_questions (
    id, rfq_id, state, audience, answer, answered_by_org_id, published_id, created_at, answered_at)
  values (${id}, ${rfqId}, ${QUESTION.verbs.answer.to}, 'ALL', ${text}, ${orgId}, ${id}, ${now}, ${now})
  returning document`

interface Answer {
  id: string
  orgId: string
  text: string
  audience: 'ASKER' | 'ALL'
  publishedText: string | null
  publishedId: string | null
}

/** Answers a question of a locked RFQ. */
export const answerQuestion = (tx: Tx, rfqId: string, answer: Answer, now: string) => tx<{ document: string }[]>`
  update sourcing.rfq_questions set state = ${QUESTION.verbs.answer.to}, answer = ${answer.text},
    audience = ${answer.audience}, published_text = ${answer.publishedText}, published_id = ${answer.publishedId},
    answered_by_org_id = ${answer.orgId}, answered_at = ${now}
  where id = ${answer.id} and rfq_id = ${rfqId}
  returning document`

/** Dismisses a question, or all unanswered ones about RFQs that end. */
export const dismissQuestions = (tx: Tx, rfqIds: readonly string[], id: string | undefined, now: string) => tx<
  { id: string; rfq_id: string; org_id: string; document: string }[]
>`
  update sourcing.rfq_questions set state = ${QUESTION.verbs.dismiss.to}, dismissed_at = ${now}
  where rfq_id = any(${[...rfqIds]}) and state = any(${[...QUESTION.verbs.dismiss.from]}) ${id === undefined ? tx`` : tx`and id = ${id}`}
  returning id, rfq_id, org_id, document`

/**
 * Counts the unanswered questions of locked RFQs for its consumer. Its time of the last change stays, because other
 * organizations read it.
 */
export const updateUnanswered = (tx: Tx, rfqIds: readonly string[]) => tx`
  update sourcing.rfqs set (unanswered_questions, unanswered_since) = (
    select count(*), min(created_at) from sourcing.rfq_questions where rfq_id = rfqs.id and state = 'ASKED')
  where id = any(${[...rfqIds]})`

/** The invited manufacturers of an RFQ that have not declined, and have accepted its confidentiality terms. */
export const listInvitees = (tx: Tx, rfqId: string) => tx<{ org_id: string }[]>`
  select org_id from sourcing.rfq_invitations where rfq_id = ${rfqId} and state <> 'DECLINED' and not awaits_acceptance`
