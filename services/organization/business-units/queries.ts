import type { BusinessUnit } from '../../../proto/http/organization/business-units.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

export const insertBusinessUnit = (sql: Sql, unit: { id: string; orgId: string; name: string }, now: string) => sql`
  insert into organization.business_units (id, org_id, name, created_at)
  values (${unit.id}, ${unit.orgId}, ${unit.name}, ${now})`

export function listBusinessUnits(sql: Sql, orgId: string, { after, limit, offset }: PageWindow) {
  const { name, id } = nameKeyAt(after)
  return sql<BusinessUnit[]>`
  select id, name from organization.business_units where org_id = ${orgId} and (name, id) > (${name}, ${id})
  order by name, id limit ${limit} offset ${offset}`
}

export const findBusinessUnit = (sql: Sql, orgId: string, id: string) => sql<BusinessUnit[]>`
  select id, name from organization.business_units where org_id = ${orgId} and id = ${id}`

export const lockBusinessUnit = (tx: Tx, orgId: string, id: string) => tx<BusinessUnit[]>`
  select id, name from organization.business_units where org_id = ${orgId} and id = ${id} for update`

export const countBusinessUnits = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.business_units where org_id = ${orgId}`

export const renameBusinessUnit = (tx: Tx, orgId: string, id: string, name: string) => tx`
  update organization.business_units set name = ${name} where org_id = ${orgId} and id = ${id}`

export const deleteBusinessUnit = (tx: Tx, orgId: string, id: string) => tx`
  delete from organization.business_units where org_id = ${orgId} and id = ${id}`
