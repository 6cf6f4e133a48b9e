import type { Sql } from '../../kit/db/client.ts'

export const insertBusinessUnit = (sql: Sql, unit: { id: string; orgId: string; name: string }, now: string) => sql`
  insert into organization.business_units (id, org_id, name, created_at)
  values (${unit.id}, ${unit.orgId}, ${unit.name}, ${now})`
