import type { CustomField } from '../../../proto/http/organization/custom-fields.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

export const insertCustomField = (sql: Sql, field: { id: string; orgId: string; name: string }, now: string) => sql`
  insert into organization.custom_fields (id, org_id, name, created_at)
  values (${field.id}, ${field.orgId}, ${field.name}, ${now})`

interface OptionRow {
  id: string
  orgId: string
  fieldId: string
  name: string
  position: number
}

export const upsertOption = (sql: Sql, { id, orgId, fieldId, name, position }: OptionRow) => sql`
  insert into organization.custom_field_options (id, org_id, field_id, name, position)
  values (${id}, ${orgId}, ${fieldId}, ${name}, ${position})
  on conflict (id) do update set name = excluded.name, position = excluded.position`

export const deleteOption = (tx: Tx, orgId: string, fieldId: string, id: string) => tx`
  delete from organization.custom_field_options where org_id = ${orgId} and field_id = ${fieldId} and id = ${id}`

const columns = (sql: Sql) => sql`
  f.id, f.name,
  (select coalesce(json_agg(json_build_object('id', o.id, 'name', o.name) order by o.position, o.id), '[]')
   from organization.custom_field_options o where o.field_id = f.id) as options`

export function listCustomFields(sql: Sql, orgId: string, { after, limit, offset }: PageWindow) {
  const { name, id } = nameKeyAt(after)
  return sql<CustomField[]>`
  select ${columns(sql)}
  from (
    select id, name from organization.custom_fields where org_id = ${orgId} and (name, id) > (${name}, ${id})
    order by name, id limit ${limit} offset ${offset}
  ) f
  order by f.name, f.id`
}

export const findCustomField = (sql: Sql, orgId: string, id: string) => sql<CustomField[]>`
  select ${columns(sql)} from organization.custom_fields f where f.org_id = ${orgId} and f.id = ${id}`

/** Blocks other changes of the field and its options until the transaction ends. */
export const lockCustomField = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  select id from organization.custom_fields where org_id = ${orgId} and id = ${id} for update`

export const countCustomFields = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.custom_fields where org_id = ${orgId}`

export const renameCustomField = (tx: Tx, orgId: string, id: string, name: string) => tx`
  update organization.custom_fields set name = ${name} where org_id = ${orgId} and id = ${id}`

/** The foreign key deletes the options too. */
export const deleteCustomField = (tx: Tx, orgId: string, id: string) => tx`
  delete from organization.custom_fields where org_id = ${orgId} and id = ${id}`
