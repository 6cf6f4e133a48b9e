import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/subscriptions.ts'
import { REPETITION_DAYS } from '../../../proto/http/sourcing/subscriptions.ts'
import { SUBSCRIPTION, type SubscriptionState } from '../../../proto/states/subscriptions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import type { Due } from '../../kit/worker/batches.ts'
import { isOwn, isReadable } from '../parts/visibility.ts'
import type { Counts } from './rules.ts'
import { isConsumer, isIpOwner, isLive, isParty } from './visibility.ts'

type Listing = PageWindow & FiltersOf<typeof api.listSubscriptions>

/** The subscriptions of an organization in one view, newest first. */
export const listSubscriptions = (
  sql: Sql,
  orgId: string,
  { view, state, partId, partnerOrgId, after, limit, offset }: Listing,
) => sql<DocumentRow[]>`
  select id as position, document from sourcing.subscriptions
  where ${view === 'CONSUMER' ? isConsumer(sql, orgId) : isIpOwner(sql, orgId)} and id < ${after ?? NEWEST_ID} and ${and(
    sql,
    state !== undefined && sql`state = ${state}`,
    partId !== undefined && sql`part_id = ${partId}`,
    partnerOrgId !== undefined && (view === 'CONSUMER' ? isIpOwner(sql, partnerOrgId) : isConsumer(sql, partnerOrgId)),
  )}
  order by id desc limit ${limit} offset ${offset}`

/** No row where the organization is no party to it. */
export const findSubscription = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select document from sourcing.subscriptions where id = ${id} and ${isParty(sql, orgId)}`

export const lockSubscription = (tx: Tx, orgId: string, id: string) => tx<{ document: string }[]>`
  select document from sourcing.subscriptions where id = ${id} and ${isParty(tx, orgId)} for update`

/** The owner of a part that a consumer reads and does not own. It cannot be deleted until the transaction ends. */
export const lockReadablePart = (tx: Tx, orgId: string, partId: string) => tx<{ ip_owner_org_id: string }[]>`
  select ip_owner_org_id from sourcing.parts
  where id = ${partId} and not ${isOwn(tx, orgId)} and ${isReadable(tx, orgId)} for share`

/** A part of the organization. It cannot be deleted until the transaction ends. */
export const lockOwnPart = (tx: Tx, orgId: string, partId: string) => tx<{ id: string }[]>`
  select id from sourcing.parts where id = ${partId} and ${isOwn(tx, orgId)} for share`

/** Another organization with a role. */
export const findPartner = (sql: Sql, orgId: string, partnerOrgId: string, role: 'IP_OWNER' | 'CONSUMER') => sql<
  { org_id: string }[]
>`
  select org_id from organization.org_directory
  where org_id = ${partnerOrgId} and org_id <> ${orgId} and ${role} = any(roles)`

/** Serializes the requests and grants of an organization, until the transaction ends. */
export const lockMade = (tx: Tx, orgId: string) => lockByName(tx, 'subscriptions', orgId)

export interface NewSubscription {
  id: string
  ipOwnerOrgId: string
  consumerOrgId: string
  partId: string | null
  state: SubscriptionState
  createdByOrgId: string
  expiresAt: string | null
}

type Kind = Pick<NewSubscription, 'ipOwnerOrgId' | 'consumerOrgId' | 'partId'>

const isOfKind = (sql: Sql, { ipOwnerOrgId, consumerOrgId, partId }: Kind) => sql`
  consumer_org_id = ${consumerOrgId} and ip_owner_org_id = ${ipOwnerOrgId} and coalesce(part_id, '') = ${partId ?? ''}`

export const countMade = (tx: Tx, orgId: string, kind: Kind, now: string) => tx<[Counts]>`
  select
    (select count(*)::integer from sourcing.subscriptions where created_by_org_id = ${orgId} and ${isLive(tx)}) as live,
    (select count(*)::integer from sourcing.subscriptions
      where ${isOfKind(tx, kind)} and created_by_org_id = ${orgId}
        and created_at > ${now}::timestamptz - make_interval(days => ${REPETITION_DAYS})) as repeated`

/** The live subscription of this kind; its row is locked. */
export const lockLive = (tx: Tx, kind: Kind) => tx<{ document: string }[]>`
  select document from sourcing.subscriptions where ${isOfKind(tx, kind)} and ${isLive(tx)} for update`

/** No row where there is a live subscription of this kind. */
export const insertSubscription = (tx: Tx, created: NewSubscription, now: string) => tx<{ document: string }[]>`
  insert into sourcing.subscriptions (
    id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, expires_at, created_at, updated_at)
  values (${created.id}, ${created.ipOwnerOrgId}, ${created.consumerOrgId}, ${created.partId}, ${created.state},
    ${created.createdByOrgId}, ${created.expiresAt}, ${now}, ${now})
  on conflict (consumer_org_id, ip_owner_org_id, coalesce(part_id, '')) where ${isLive(tx)} do nothing
  returning document`

interface StateMove {
  to: string
  reason?: string | undefined
}

/** Moves a subscription that is locked. */
export const moveState = (tx: Tx, orgId: string, id: string, { to, reason }: StateMove, now: string) => tx<
  { document: string }[]
>`
  update sourcing.subscriptions set state = ${to}, reason = ${reason ?? null}, updated_at = ${now}
  where id = ${id} and ${isParty(tx, orgId)}
  returning document`

const { to: ENDED } = SUBSCRIPTION.verbs.expire

/** Ends live subscriptions whose expiry has passed. Replicas take different rows. */
export const expireDue = (sql: Sql, { now, limit, except }: Due) => sql<{ id: string; document: string }[]>`
  with due as materialized (
    select id from sourcing.subscriptions
    where ${isLive(sql)} and expires_at <= ${now} and id <> all(${[...except]})
    order by expires_at limit ${limit} for update skip locked
  )
  update sourcing.subscriptions ended set state = ${ENDED}, updated_at = ${now}
  from due where ended.id = due.id
  returning ended.id, ended.document`

/** Ends one subscription whose expiry has passed, before the worker has. */
export const expireOne = (tx: Tx, id: string, now: string) => tx<{ document: string }[]>`
  update sourcing.subscriptions set state = ${ENDED}, updated_at = ${now}
  where id = ${id} and ${isLive(tx)} and expires_at <= ${now}
  returning document`

/** Ends the live subscriptions to a part that is deleted. */
export const endOfPart = (tx: Tx, partId: string, now: string) => tx<{ document: string }[]>`
  update sourcing.subscriptions set state = ${ENDED}, updated_at = ${now}
  where part_id = ${partId} and ${isLive(tx)}
  returning document`
