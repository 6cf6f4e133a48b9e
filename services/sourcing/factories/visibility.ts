import type { Sql } from '../../kit/db/client.ts'
import { isPartyToFactory, type OrgRef } from '../orders/visibility.ts'
import type { FactoryReader } from './rules.ts'

/* Conditions on rows `factory` of `sourcing.factories`. */

export const isOwn = (sql: Sql, orgId: string) => sql`factory.org_id = ${orgId}`

/** The text matches the predicate of the partial index. */
export const isPublic = (sql: Sql) => sql`factory.active and factory.org_manufactures and not factory.internal`

/** Whether a factory takes orders. */
export const isActive = (sql: Sql) => sql`factory.active and factory.org_manufactures`

export const isReleasedBy = (sql: Sql, distributorOrgId: OrgRef, orgId: OrgRef) => sql`(
  select true from sourcing.factory_releases released
  where released.org_id = ${orgId} and released.distributor_org_id = ${distributorOrgId}
    and released.factory_id = factory.id
  limit 1) is true`

/** Whether an organization may source from the factory: rule 1 of the specification for the view CONSUMER. */
export const maySource = (sql: Sql, orgId: string) => sql`(${isPublic(sql)} and (
  select org.engagement = 'DIRECT' or exists (
    select from sourcing.factory_releases released
    where released.org_id = org.org_id and released.distributor_org_id = org.distributor_org_id
      and released.factory_id = factory.id)
  from organization.org_directory org where org.org_id = ${orgId}))`

/**
 * An own factory, one that a caller with the permission of a consumer may source from or a distributor may release, or
 * that of an order that names the organization.
 */
export const isReadable = (sql: Sql, orgId: string, { consumer, distributor }: FactoryReader) => sql`(
  ${isOwn(sql, orgId)} or (${consumer} and ${maySource(sql, orgId)}) or (${distributor} and ${isPublic(sql)})
  or ${isPartyToFactory(sql, orgId)})`
