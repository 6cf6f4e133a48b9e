import type { CaseKind } from '../../../proto/http/sourcing/cases.ts'
import { CASE } from '../../../proto/states/cases.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import type { Due } from '../../kit/worker/batches.ts'
import { isConsumer, isInvited, isIpOwner } from '../rfqs/visibility.ts'
import type { CaseContent, CaseCount, RfqRelation } from './rules.ts'
import { documentFor, isParty } from './visibility.ts'

/** The JSON of a case for an organization; no row where it is no party to it. */
export const findCase = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select ${documentFor(sql, orgId)} as document from sourcing.cases where id = ${id} and ${isParty(sql, orgId)}`

interface CaseRow {
  /** The JSON for all parties, which events have. */
  document: string
  /** The JSON for the organization. */
  own_document: string
}

/** A case of the organization, locked. Its messages, tasks and expenses are changed under the lock. */
export const lockCase = (tx: Tx, orgId: string, id: string) => tx<CaseRow[]>`
  select document, ${documentFor(tx, orgId)} as own_document from sourcing.cases where id = ${id} and ${isParty(tx, orgId)} for update`

/** The relation of an organization to an RFQ, for a new or a present case; no row where it cannot read the RFQ. */
export const findRfqRelation = (sql: Sql, orgId: string, rfqId: string, caseId = '') => sql<RfqRelation[]>`
  select rfq.consumer_org_id as "consumerOrgId", rfq.state,
    not rfq.is_owner and invitation.state = 'DECLINED' as "isDeclined",
    array(
      select json_build_object('state', placed.state, 'updatedTime', sourcing.api_time(placed.updated_at))
      from sourcing.orders placed where placed.rfq_id = rfq.id and placed.manufacturer_org_id = ${orgId}
        and exists (select from sourcing.cases where id = ${caseId} and follows_rfq)) as orders
  from (
    select id, consumer_org_id, state, ${isConsumer(sql, orgId)} or (${isIpOwner(sql, orgId)}) as is_owner
    from sourcing.rfqs where id = ${rfqId}
  ) rfq
  left join sourcing.rfq_invitations invitation on invitation.rfq_id = rfq.id and ${isInvited(sql, orgId)}
  where rfq.is_owner or invitation.rfq_id is not null`

/** An organization with the record of its cases: an RFQ or an order. */
export interface CaseSubject {
  /** The id of a present case. */
  id?: string | undefined
  orgId: string
  rfqId?: string | undefined
  orderId?: string | undefined
}

/** Serializes the commands that open cases about one record, until the transaction ends. */
export const lockCasesAbout = (tx: Tx, { rfqId, orderId }: CaseSubject) => lockByName(tx, 'cases', rfqId ?? orderId)

/**
 * The cases about one record without those that an RFQ opened: of an organization, without those that another one
 * closed, and of all organizations.
 */
export const countCasesAbout = (sql: Sql, { orgId, rfqId, orderId }: CaseSubject) => sql<[CaseCount]>`
  select
    count(*) filter (where is_own and state = 'OPEN')::integer as open, count(*) filter (where is_own)::integer as own,
    count(*) filter (where org_id = ${orgId})::integer as made, count(*)::integer as all
  from (
    select state, org_id, org_id = ${orgId} and coalesce(closed_by_org_id, org_id) = org_id as is_own from sourcing.cases
    where ${rfqId === undefined ? sql`order_id = ${orderId ?? ''}` : sql`rfq_id = ${rfqId}`} and not follows_rfq
  ) about`

interface NewCase extends CaseContent {
  id: string
  kind: CaseKind
  rfqId: string | null
  orderId: string | null
  orgId: string
  createdBy: string
  partyOrgIds: readonly string[]
}

export const insertCase = (tx: Tx, created: NewCase, now: string) => tx<[{ document: string }]>`
  insert into sourcing.cases (
    id, kind, state, title, description, rfq_id, order_id, org_id, party_org_ids, follows_rfq, created_at, updated_at,
    created_by)
  values (
    ${created.id}, ${created.kind}, 'OPEN', ${created.title}, ${created.description}, ${created.rfqId},
    ${created.orderId}, ${created.orgId}, ${[...created.partyOrgIds]}, false, ${now}, ${now},
    ${created.createdBy})
  returning document`

export const updateContent = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { title, description }: CaseContent,
  now: string,
) => tx<CaseRow[]>`
  update sourcing.cases set title = ${title}, description = ${description}, updated_at = ${now}
  where id = ${id} and ${isParty(tx, orgId)}
  returning document, ${documentFor(tx, orgId)} as own_document`

/** Moves a case that is locked. */
export const moveState = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { to, closedByOrgId }: { to: string; closedByOrgId: string | null },
  now: string,
) => tx<CaseRow[]>`
  update sourcing.cases set state = ${to}, closed_by_org_id = ${closedByOrgId}, updated_at = ${now}
  where id = ${id} and ${isParty(tx, orgId)}
  returning document, ${documentFor(tx, orgId)} as own_document`

interface NewRfqCase {
  id: string
  rfqId: string
  orgId: string
  title: string
}

/** Cases that only IP owners are party to, which no longer follow an RFQ to which their organization is invited. */
export const keepOwnCases = (tx: Tx, rfqIds: readonly string[]) => tx`
  update sourcing.cases own set follows_rfq = false
  from sourcing.rfqs rfq
  where rfq.id = any(${[...rfqIds]}) and own.rfq_id = rfq.id and own.org_id = rfq.ip_owner_org_id and own.follows_rfq
    and own.org_id <> rfq.consumer_org_id and own.org_id = any(rfq.manufacturer_ids)
    and own.party_org_ids = array[own.org_id]`

/**
 * Opens a separate SOURCING case for each organization of each RFQ; the consumer is also a party to that of an invited
 * manufacturer. An existing case of the RFQ is reopened instead.
 */
export const insertRfqCases = (tx: Tx, cases: readonly NewRfqCase[], now: string) => tx<
  { rfq_id: string; document: string; is_new: boolean }[]
>`
  insert into sourcing.cases (
    id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
  select created.id, 'SOURCING', ${CASE.initial}, created.title, created.rfq_id, created.org_id,
    case when created.org_id = any(rfq.manufacturer_ids) and created.org_id <> rfq.consumer_org_id
      then array[created.org_id, rfq.consumer_org_id] else array[created.org_id] end,
    true, ${now}, ${now}
  from unnest(${cases.map(({ id }) => id)}::text[], ${cases.map(({ title }) => title)}::text[],
    ${cases.map(({ rfqId }) => rfqId)}::text[], ${cases.map(({ orgId }) => orgId)}::text[])
    with ordinality created (id, title, rfq_id, org_id, place)
  join sourcing.rfqs rfq on rfq.id = created.rfq_id
  order by place
  on conflict (rfq_id, org_id) where follows_rfq do update
    set state = ${CASE.verbs.resume.to}, closed_by_org_id = null, updated_at = ${now}, party_org_ids = excluded.party_org_ids
  returning rfq_id, document, xmax = 0 as is_new`

/** RFQ and organization of each case, and whether it ends or resumes now, as columns of the same length. */
interface RfqCaseChanges {
  rfqIds: readonly string[]
  orgIds: readonly string[]
  ends: readonly boolean[]
  resumes: readonly boolean[]
}

/**
 * Closes cases of awarded manufacturers that end by themselves, unless their RFQ has returned from its award. Replicas
 * take different rows.
 */
export const closeEnded = (sql: Sql, { now, limit, except }: Due) => sql<{ id: string; document: string }[]>`
  with due as materialized (
    select id from sourcing.cases
    where state = 'OPEN' and ends_at <= ${now} and id <> all(${[...except]})
      and (select rfq.state from sourcing.rfqs rfq where rfq.id = cases.rfq_id) = 'AWARDED'
    order by ends_at limit ${limit} for update skip locked
  )
  update sourcing.cases ended set state = ${CASE.verbs.end.to}, updated_at = ${now}
  from due where ended.id = due.id
  returning ended.id, ended.document`

interface ChangedRfqCase {
  document: string
  rfq_id: string
  org_id: string
  was_closed: boolean
  was_resumed: boolean
}

/**
 * Updates the cases that follow RFQs, closes those that end and are OPEN, and opens those again that resume and were
 * closed by their RFQ. They are locked in the order of their
 * ids, so that concurrent changes of one RFQ wait for each other. The time of a change stays hidden from a party to
 * which no change of the RFQ is sent.
 */
export const updateRfqCases = (sql: Sql, { rfqIds, orgIds, ends, resumes }: RfqCaseChanges, now: string) => sql<
  ChangedRfqCase[]
>`
  with changed as materialized (
    select rfq_id, org_id, bool_or(ends::boolean) as ends, bool_or(resumes::boolean) as resumes
    from unnest(${[...rfqIds]}::text[], ${[...orgIds]}::text[], ${ends.map(String)}::text[],
      ${resumes.map(String)}::text[]) sent (rfq_id, org_id, ends, resumes)
    group by rfq_id, org_id
  ), locked as materialized (
    select followed.id, changed.ends and followed.state = any(${[...CASE.verbs.end.from]}) as closes,
      changed.resumes and followed.state <> ${CASE.verbs.resume.to} and followed.closed_by_org_id is null as resumes,
      not exists (
        select from unnest(followed.party_org_ids) party
        where not exists (select from changed other where other.rfq_id = followed.rfq_id and other.org_id = party)
      ) as is_known
    from changed
    join sourcing.cases followed
      on followed.rfq_id = changed.rfq_id and followed.org_id = changed.org_id and followed.follows_rfq
    order by followed.id
    for update of followed
  )
  update sourcing.cases followed set
    updated_at = case when locked.closes or locked.resumes or locked.is_known
      then ${now}::timestamptz else followed.updated_at end,
    state = case when locked.closes then ${CASE.verbs.end.to}
      when locked.resumes then ${CASE.verbs.resume.to} else followed.state end
  from locked where followed.id = locked.id
  returning followed.document, followed.rfq_id, followed.org_id, locked.closes as was_closed,
    locked.resumes as was_resumed`
