import type { Org } from '../../../proto/http/organization/orgs.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import type { Engagement } from './rules.ts'

interface OrganizationRow {
  id: string
  name: string
  roles: OrgRole[]
  regionCode: string
  website: string | null
  engagement: Engagement
  distributorOrgId: string | null
  operator: boolean
}

export const insertOrganization = (sql: Sql, org: OrganizationRow, now: string) => sql`
  insert into organization.organizations
    (id, name, roles, region_code, website, engagement, distributor_org_id, operator, created_at)
  values (${org.id}, ${org.name}, ${org.roles}, ${org.regionCode}, ${org.website}, ${org.engagement},
    ${org.distributorOrgId}, ${org.operator}, ${now})`

export const updateOrganization = (tx: Tx, org: Omit<OrganizationRow, 'operator'>) => tx`
  update organization.organizations set
    name = ${org.name}, roles = ${org.roles}, region_code = ${org.regionCode}, website = ${org.website},
    engagement = ${org.engagement}, distributor_org_id = ${org.distributorOrgId}
  where id = ${org.id}`

/** The share lock keeps the distributor role until the transaction ends. */
export const findDistributor = (tx: Tx, orgId: string) => tx<{ id: string }[]>`
  select id from organization.organizations where id = ${orgId} and 'DISTRIBUTOR' = any(roles) for share`

/** One row if an organization is engaged through this one. */
export const findEngagedOrganization = (sql: Sql, distributorOrgId: string) => sql<{ id: string }[]>`
  select id from organization.organizations where distributor_org_id = ${distributorOrgId} limit 1`

/** Blocks other changes of the organization, its users and its roles until the transaction ends. */
export const lockOrganizationForUpdate = (tx: Tx, orgId: string) => tx<OrganizationRow[]>`
  select id, name, roles, region_code as "regionCode", website, engagement, distributor_org_id as "distributorOrgId",
    operator
  from organization.organizations where id = ${orgId} for no key update`

/** The engagement is visible to the organization itself, its distributor and the operator. */
export const findOrganizations = (
  sql: Sql,
  { orgId, operator }: { orgId: string; operator: boolean },
  ids: readonly string[],
) => sql<OrNull<Org>[]>`
  select id, name, roles, region_code as "regionCode", website,
    case when visible then engagement end as engagement,
    case when visible then distributor_org_id end as "distributorOrgId"
  from organization.organizations
  cross join lateral (
    select ${operator} or id = ${orgId} or distributor_org_id is not distinct from ${orgId} as visible
  ) viewer
  where id = any(${[...ids]})`

/** The organizations that are engaged through this one, newest first. */
export const listEngagedOrganizations = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<
  OrNull<Org>[]
>`
  select id, name, roles, region_code as "regionCode", website, engagement, distributor_org_id as "distributorOrgId"
  from organization.organizations
  where distributor_org_id = ${orgId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findOperator = (sql: Sql) => sql<{ id: string }[]>`
  select id from organization.organizations where operator`
