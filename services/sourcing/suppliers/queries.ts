import { MAX_MEASURED_ORDERS, MIN_SAMPLE } from '../../../proto/http/sourcing/suppliers.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { inView } from '../orders/visibility.ts'

/** The manufacturers of a consumer's orders: one look-up in the index for each. */
const manufacturersOf = (sql: Sql, orgId: string) => sql`
  with recursive manufacturers as (
    (select manufacturer_org_id as id from sourcing.orders where ${inView(sql, orgId, 'CONSUMER')}
    order by manufacturer_org_id limit 1)
    union all
    select (select manufacturer_org_id from sourcing.orders
      where ${inView(sql, orgId, 'CONSUMER')} and manufacturer_org_id > manufacturers.id
      order by manufacturer_org_id limit 1)
    from manufacturers where manufacturers.id is not null
  )
  select id from manufacturers where id is not null`

/** Those of the organizations that are manufacturers of a consumer's orders. */
const manufacturersAmong = (sql: Sql, orgId: string, ids: readonly string[]) => sql`
  select id from unnest(${[...ids]}::text[]) wanted (id)
  where (select true from sourcing.orders
    where ${inView(sql, orgId, 'CONSUMER')} and ${inView(sql, sql`wanted.id`, 'MANUFACTURER')} limit 1)`

/** The figures of a manufacturer `supplier` (id, name), as the row `figures`. */
const figuresOf = (sql: Sql, orgId: string) => sql`
  select count(*) as orders, round(avg((arrived_on <= due_date and shipped_quantity >= quantity)::integer), 4) as on_time,
    round(sum(rejected_quantity)::numeric / sum(shipped_quantity), 4) as rejected,
    percentile_cont(0.5) within group (order by arrived_on - placed_on) as lead_time
  from (
    select state, due_date, quantity, shipped_quantity, rejected_quantity,
      (created_at at time zone 'UTC')::date as placed_on, (arrived_at at time zone 'UTC')::date as arrived_on
    from sourcing.orders
    where ${inView(sql, orgId, 'CONSUMER')} and ${inView(sql, sql`supplier.id`, 'MANUFACTURER')}
    order by id desc limit ${MAX_MEASURED_ORDERS}
  ) newest
  where state in ('DELIVERED', 'COMPLETED') and arrived_on is not null and shipped_quantity > 0`

const documentOf = (sql: Sql) => sql`concat(
  '{"manufacturerOrgId":', to_json(supplier.id),
  ',"manufacturerName":', to_json(supplier.name),
  ',"finishedOrders":', figures.orders,
  ',"isSmallSample":', to_json(figures.orders < ${MIN_SAMPLE}),
  ',"onTimeShare":' || to_json(figures.on_time::double precision),
  ',"rejectedShare":' || to_json(figures.rejected::double precision),
  ',"medianLeadTimeDays":' || to_json(figures.lead_time),
  '}')`

const named = (sql: Sql, manufacturers: Fragment) => sql`
  select manufacturer.id, org.name from (${manufacturers}) manufacturer
  join organization.org_directory org on org.org_id = manufacturer.id`

interface SupplierListing extends PageWindow {
  manufacturerOrgId?: string
}

/** A page of a consumer's suppliers, by name. */
export const listSuppliers = (
  sql: Sql,
  orgId: string,
  { manufacturerOrgId, after, limit, offset }: SupplierListing,
) => {
  const { name, id } = nameKeyAt(after)
  const manufacturers =
    manufacturerOrgId === undefined ? manufacturersOf(sql, orgId) : manufacturersAmong(sql, orgId, [manufacturerOrgId])
  return sql<DocumentRow[]>`
    select concat(supplier.name, ' ', supplier.id) as position, ${documentOf(sql)} as document
    from (
      select id, name from (${named(sql, manufacturers)}) every where (name, id) > (${name}, ${id})
      order by name, id limit ${limit} offset ${offset}
    ) supplier
    cross join lateral (${figuresOf(sql, orgId)}) figures
    order by supplier.name, supplier.id`
}

/** The suppliers of a consumer among some organizations. */
export const findSuppliers = (sql: Sql, orgId: string, ids: readonly string[]) => sql<
  { id: string; document: string }[]
>`
  select supplier.id, ${documentOf(sql)} as document
  from (${named(sql, manufacturersAmong(sql, orgId, ids))}) supplier
  cross join lateral (${figuresOf(sql, orgId)}) figures`
