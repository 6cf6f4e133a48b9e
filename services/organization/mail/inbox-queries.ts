import type { InboxKind } from '../../../proto/http/sourcing/inbox.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { Due } from '../../kit/worker/batches.ts'
import type { RfqRole } from './rules.ts'

/** Confirmed addresses that got no summary for a day, marked as if they had. Replicas take different rows. */
export const takeAddresses = (tx: Tx, day: string, { limit, except }: Due) => tx<{ id: string; org_id: string }[]>`
  with due as materialized (
    select id from organization.mail_addresses
    where confirmed_at is not null and topics @> '{INBOX}' and (inbox_mailed_on is null or inbox_mailed_on < ${day})
      and id <> all(${[...except]})
    order by inbox_mailed_on nulls first limit ${limit} for update skip locked
  )
  update organization.mail_addresses address set inbox_mailed_on = ${day}
  from due where address.id = due.id
  returning address.id, address.org_id`

/** How many items of each kind wait for an organization. */
export const countWaiting = (tx: Tx, orgId: string) => tx<{ kind: InboxKind; count: number }[]>`
  select kind, count(*)::integer as count from sourcing.waiting_items where org_id = ${orgId} group by kind`

interface WaitingPackage {
  packageId: string
  role: RfqRole
  kind: InboxKind
  count: number
}

/** The packages of which RFQs or offers wait for an organization, newest first; each has its kinds in a row. */
export const listWaitingPackages = (tx: Tx, orgId: string, limit: number) => tx<WaitingPackage[]>`
  select package_id as "packageId", role, kind, count
  from (
    select package_id, role, kind, count, dense_rank() over (order by newest desc, package_id desc, role) as place
    from (
      select package_id, role, kind, count, max(since) over (partition by package_id, role) as newest
      from sourcing.waiting_packages where org_id = ${orgId}
    ) waiting
  ) ranked
  where place <= ${limit} order by place, kind`
