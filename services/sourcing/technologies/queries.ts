import type { Sql, Tx } from '../../kit/db/client.ts'

/** Starts the update at the first part, also while one runs. */
export const startRefresh = (tx: Tx) => tx`
  insert into sourcing.technology_refresh (last_part_id) values ('')
  on conflict (singleton) do update set last_part_id = ''`

/** The last part that was updated. No row where no update runs, or where another replica has locked it. */
export const lockRefresh = (tx: Tx) => tx<{ last_part_id: string }[]>`
  select last_part_id from sourcing.technology_refresh for update skip locked`

/** The number of the next parts by id, changed or not, and the id of the last one. */
export const findNextParts = (sql: Sql, after: string, limit: number) => sql<{ parts: number; last: string | null }[]>`
  select count(*)::integer as parts, max(id) as last
  from (select id from sourcing.parts where id > ${after} order by id limit ${limit}) next`

/** Sets the technologies of parts that differ from those of their process; a trigger rebuilds the documents. */
export const updateTechnologies = (sql: Sql, { after, last }: { after: string; last: string }) => sql`
  update sourcing.parts part set technology_ids = process.technology_ids
  from catalog.process_lookup process
  where part.id > ${after} and part.id <= ${last} and process.code = part.process_id
    and part.technology_ids is distinct from process.technology_ids`

export const moveRefresh = (tx: Tx, lastPartId: string) => tx`
  update sourcing.technology_refresh set last_part_id = ${lastPartId}`

export const endRefresh = (tx: Tx) => tx`delete from sourcing.technology_refresh`
