import { timeAfter } from '../../../proto/durations.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { MAIL, MAIL_EXPIRY_MS, MAX_ITEMS, REPEATABLE_KINDS } from './limits.ts'
import type { Notice } from './rules.ts'

/** The column of the recipient of a mail: a mail address, or a user. */
type RecipientColumn = 'address_id' | 'user_id'

export interface Addressed {
  id: string
  orgId: string
  recipientId: string
  items: Notice[]
}

/** The items that the mail does not have yet, numbered from 1. */
const newItems = (sql: Sql) => sql`(
  select item as new, row_number() over (order by position) as n
  from jsonb_array_elements(excluded.items) with ordinality as added (item, position)
  where item ->> 'kind' = any(${[...REPEATABLE_KINDS]}) or not exists (
    select from jsonb_array_elements(mails.items) present
    where present - '{time,count}'::text[] = item - '{time,count}'::text[]))`

/** The number of items that the mail has room for. It may have more than the maximum of an earlier version. */
const room = (sql: Sql) => sql`${MAX_ITEMS} - jsonb_array_length(mails.items)`

/** The items of the mail, those that count with what is added. */
const countedItems = (sql: Sql) => sql`(
  select coalesce(jsonb_agg(
    case when added.count is null then present else
      jsonb_set(present, '{count}', to_jsonb((present -> 'count')::integer + added.count)) end order by n), '[]')
  from jsonb_array_elements(mails.items) with ordinality as presents (present, n)
  left join lateral (
    select (item -> 'count')::integer as count from jsonb_array_elements(excluded.items) item
    where item ? 'count' and present - '{time,count}'::text[] = item - '{time,count}'::text[]
  ) added on true)`

/**
 * Adds items to the mail that collects them for their recipient, or to a new one, which is a job. Items beyond the
 * maximum are counted.
 */
export const appendItems = (
  tx: Tx,
  column: RecipientColumn,
  mails: readonly Addressed[],
  delayMs: number,
  now: string,
) => tx`
  with appended as (
    insert into organization.mails (id, org_id, kind, ${tx(column)}, items, created_at, expires_at)
    select n.id, n."orgId", 'NOTICE', n."recipientId", n.items, ${now}, ${timeAfter(now, MAIL_EXPIRY_MS)}
    from json_to_recordset(${JSON.stringify(mails)}::text::json) as n (
      id text, "orgId" text, "recipientId" text, items jsonb)
    on conflict (${tx(column)}) where kind = 'NOTICE' and state = 'PENDING' and sealed_at is null do update set
      (items, omitted) = (
        select ${countedItems(tx)} || coalesce(jsonb_agg(new order by n) filter (where n <= ${room(tx)}), '[]'),
          mails.omitted + count(*) filter (where n > ${room(tx)})
        from ${newItems(tx)} fresh)
    returning id, org_id, kind, expires_at
  )
  insert into organization.jobs (kind, id, tenant_id, data, created_at, due_at, expires_at)
  select ${MAIL}, id, org_id, jsonb_build_object('kind', kind), ${now}, ${timeAfter(now, delayMs)}, expires_at
  from appended
  on conflict do nothing`
