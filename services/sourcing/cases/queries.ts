import type { CaseKind } from '../../../proto/http/sourcing/cases.ts'
import { CASE } from '../../../proto/states/cases.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { isConsumer, isInvited, isIpOwner } from '../rfqs/visibility.ts'
import type { CaseContent, CaseCount, RfqRelation } from './rules.ts'
import { isParty } from './visibility.ts'

/** The JSON of a case; no row where the organization is no party to it. */
export const findCase = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select document from sourcing.cases where id = ${id} and ${isParty(sql, orgId)}`

/** The JSON of a case of the organization, locked. Its tasks and expenses are changed under the lock. */
export const lockCase = (tx: Tx, orgId: string, id: string) => tx<{ document: string }[]>`
  select document from sourcing.cases where id = ${id} and ${isParty(tx, orgId)} for update`

/** The relation of an organization to an RFQ; no row where it cannot read the RFQ. */
export const findRfqRelation = (sql: Sql, orgId: string, rfqId: string) => sql<RfqRelation[]>`
  select rfq.consumer_org_id as "consumerOrgId", rfq.state,
    not rfq.is_owner and invitation.state = 'DECLINED' as "isDeclined"
  from (
    select id, consumer_org_id, state, ${isConsumer(sql, orgId)} or (${isIpOwner(sql, orgId)}) as is_owner
    from sourcing.rfqs where id = ${rfqId}
  ) rfq
  left join sourcing.rfq_invitations invitation on invitation.rfq_id = rfq.id and ${isInvited(sql, orgId)}
  where rfq.is_owner or invitation.rfq_id is not null`

/** An organization with the record of its cases: an RFQ or an order. */
export interface CaseSubject {
  orgId: string
  rfqId?: string | undefined
  orderId?: string | undefined
}

/** Serializes the commands that open cases about one record, until the transaction ends. */
export const lockCasesAbout = (tx: Tx, { rfqId, orderId }: CaseSubject) => tx`
  select pg_advisory_xact_lock(7204916, hashtext(${rfqId ?? orderId ?? ''}))`

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
) => tx<{ document: string }[]>`
  update sourcing.cases set title = ${title}, description = ${description}, updated_at = ${now}
  where id = ${id} and ${isParty(tx, orgId)}
  returning document`

/** No row if the case is no longer in a state of `from`: of two concurrent calls one succeeds. */
export const moveState = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  { from, to, closedByOrgId }: { from: readonly string[]; to: string; closedByOrgId: string | null },
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.cases set state = ${to}, closed_by_org_id = ${closedByOrgId}, updated_at = ${now}
  where id = ${id} and ${isParty(tx, orgId)} and state = any(${[...from]})
  returning document`

interface NewRfqCase {
  id: string
  rfqId: string
  orgId: string
  title: string
}

/** Opens a separate SOURCING case for each organization of each RFQ. An existing case of the RFQ is reopened instead. */
export const insertRfqCases = (tx: Tx, cases: readonly NewRfqCase[], now: string) => tx<
  { rfq_id: string; document: string; is_new: boolean }[]
>`
  insert into sourcing.cases (
    id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
  select id, 'SOURCING', 'OPEN', title, rfq_id, org_id, array[org_id], true, ${now}, ${now}
  from unnest(${cases.map(({ id }) => id)}::text[], ${cases.map(({ title }) => title)}::text[],
    ${cases.map(({ rfqId }) => rfqId)}::text[], ${cases.map(({ orgId }) => orgId)}::text[])
    created (id, title, rfq_id, org_id)
  on conflict (rfq_id, org_id) where follows_rfq do update
    set state = 'OPEN', closed_by_org_id = null, updated_at = ${now}
  returning rfq_id, document, xmax = 0 as is_new`

/** RFQ and organization of each case, and whether the case ends now, as columns of the same length. */
interface RfqCaseChanges {
  rfqIds: readonly string[]
  orgIds: readonly string[]
  ends: readonly boolean[]
}

interface ChangedRfqCase {
  document: string
  rfq_id: string
  org_id: string
  was_closed: boolean
}

/**
 * Updates the cases that follow RFQs, and closes those that end and are OPEN. They are locked in the order of their
 * ids, so that concurrent changes of one RFQ wait for each other.
 */
export const updateRfqCases = (sql: Sql, { rfqIds, orgIds, ends }: RfqCaseChanges, now: string) => sql<
  ChangedRfqCase[]
>`
  with changed as materialized (
    select rfq_id, org_id, bool_or(ends::boolean) as ends
    from unnest(${[...rfqIds]}::text[], ${[...orgIds]}::text[], ${ends.map(String)}::text[]) sent (rfq_id, org_id, ends)
    group by rfq_id, org_id
  ), locked as materialized (
    select followed.id, changed.ends and followed.state = any(${[...CASE.verbs.end.from]}) as closes
    from changed
    join sourcing.cases followed
      on followed.rfq_id = changed.rfq_id and followed.org_id = changed.org_id and followed.follows_rfq
    order by followed.id
    for update of followed
  )
  update sourcing.cases followed set updated_at = ${now},
    state = case when locked.closes then ${CASE.verbs.end.to} else followed.state end
  from locked where followed.id = locked.id
  returning followed.document, followed.rfq_id, followed.org_id, locked.closes as was_closed`
