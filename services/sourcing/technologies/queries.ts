import type { Sql, Tx } from '../../kit/db/client.ts'

/** From the first part on, also where somebody is at it. */
export const beginRefresh = (tx: Tx) => tx`
  insert into sourcing.technology_refresh (after) values ('')
  on conflict (only_one) do update set after = ''`

/** How far it is; no row where there is nothing to do, or where another replica is at it. */
export const lockRefresh = (tx: Tx) => tx<{ after: string }[]>`
  select after from sourcing.technology_refresh for update skip locked`

/** The next parts in the order of their ids, whether they are to be changed or not: where the following ones begin. */
export const findNextParts = (sql: Sql, after: string, limit: number) => sql<{ parts: number; last: string | null }[]>`
  select count(*)::integer as parts, max(id) as last
  from (select id from sourcing.parts where id > ${after} order by id limit ${limit}) next`

/** Parts that show other technologies than their process has by now; their documents are made anew with them. */
export const refreshTechnologies = (sql: Sql, { after, last }: { after: string; last: string }) => sql`
  update sourcing.parts part set technology_ids = process.technology_ids
  from catalog.process_lookup process
  where part.id > ${after} and part.id <= ${last} and process.code = part.process_id
    and part.technology_ids is distinct from process.technology_ids`

export const moveRefresh = (tx: Tx, after: string) => tx`update sourcing.technology_refresh set after = ${after}`

export const endRefresh = (tx: Tx) => tx`delete from sourcing.technology_refresh`
