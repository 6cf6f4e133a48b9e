import type { OrgRole } from '../../../proto/permissions.ts'
import type { Sql } from '../../kit/db/client.ts'

export interface OrganizationRow {
  id: string
  name: string
  roles: OrgRole[]
  regionCode: string
  website: string | null
  engagement: 'DIRECT' | 'DISTRIBUTOR'
  distributorOrgId: string | null
  operator: boolean
}

export const insertOrganization = (sql: Sql, org: OrganizationRow, now: string) => sql`
  insert into organization.organizations
    (id, name, roles, region_code, website, engagement, distributor_org_id, operator, created_at)
  values (${org.id}, ${org.name}, ${org.roles}, ${org.regionCode}, ${org.website}, ${org.engagement},
    ${org.distributorOrgId}, ${org.operator}, ${now})`

export const findDistributor = (sql: Sql, orgId: string) => sql<{ id: string }[]>`
  select id from organization.organizations where id = ${orgId} and 'DISTRIBUTOR' = any(roles)`

export const findStanding = (sql: Sql, orgId: string) => sql<{ roles: OrgRole[]; operator: boolean }[]>`
  select roles, operator from organization.organizations where id = ${orgId}`

export const findOperator = (sql: Sql) => sql<{ id: string }[]>`
  select id from organization.organizations where operator`
