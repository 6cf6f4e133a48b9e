import type { Sql } from '../../kit/db/client.ts'

interface Batch {
  after: string
  last: string
}

/** The number of the next records of a table by id, changed or not, and the id of the last one. */
export const findNext = (sql: Sql, table: 'parts' | 'factories', after: string, limit: number) => sql<
  [{ count: number; last: string | null }]
>`
  select count(*)::integer as count, max(id) as last
  from (select id from ${sql(`sourcing.${table}`)} where id > ${after} order by id limit ${limit}) next`

/**
 * Sets the technologies of parts that differ from those of their process; a trigger rebuilds the documents. The parts
 * are locked first, in the order in which imports lock them.
 */
export const updateParts = (sql: Sql, { after, last }: Batch) => sql`
  with locked as materialized (
    select id from sourcing.parts part join catalog.process_lookup process on process.code = part.process_id
    where id > ${after} and id <= ${last} and part.technology_ids is distinct from process.technology_ids
    order by id for update of part
  )
  update sourcing.parts part set technology_ids = process.technology_ids
  from locked, catalog.process_lookup process
  where part.id = locked.id and process.code = part.process_id
    and part.technology_ids is distinct from process.technology_ids`

/**
 * Sets the process types of capabilities that differ from those of their technology; a trigger rebuilds the documents.
 * The factories are locked first, as by the commands that replace capabilities.
 */
export const updateFactories = (sql: Sql, { after, last }: Batch) => sql`
  with locked as materialized (
    select id from sourcing.factories where id > ${after} and id <= ${last} order by id for update
  )
  update sourcing.factory_capabilities capability set process_type = technology.production_process_type
  from locked, catalog.technology_lookup technology
  where capability.factory_id = locked.id and technology.id = capability.technology_id
    and capability.process_type <> technology.production_process_type`
