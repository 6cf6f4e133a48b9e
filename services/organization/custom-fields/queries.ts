import type { Sql } from '../../kit/db/client.ts'

export const insertCustomField = (sql: Sql, field: { id: string; orgId: string; name: string }, now: string) => sql`
  insert into organization.custom_fields (id, org_id, name, created_at)
  values (${field.id}, ${field.orgId}, ${field.name}, ${now})`

export interface OptionRow {
  id: string
  orgId: string
  fieldId: string
  name: string
  position: number
}

export const insertOption = (sql: Sql, { id, orgId, fieldId, name, position }: OptionRow) => sql`
  insert into organization.custom_field_options (id, org_id, field_id, name, position)
  values (${id}, ${orgId}, ${fieldId}, ${name}, ${position})`
