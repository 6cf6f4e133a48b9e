import type { Capability } from '../../../proto/http/sourcing/factories.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import type { FactoryContent, FactoryReader } from './rules.ts'
import { isOwn, isPublic, isReadable, isReleasedBy } from './visibility.ts'

/** The JSON of a factory; no row where the caller may not read it. */
export const findFactory = (sql: Sql, orgId: string, reader: FactoryReader, id: string) => sql<{ document: string }[]>`
  select document from sourcing.factories factory where id = ${id} and ${isReadable(sql, orgId, reader)}`

export const findFactories = (sql: Sql, orgId: string, reader: FactoryReader, ids: readonly string[]) =>
  sql<{ id: string; document: string }[]>`
    select id, document from sourcing.factories factory
    where id = any(${[...ids]}) and ${isReadable(sql, orgId, reader)}`

/**
 * Serializes the commands that create factories of an organization with the update of its name in them. It must be
 * called before the name or the number of factories is read.
 */
export const lockFactoriesOf = (tx: Tx, orgId: string) => lockByName(tx, 'factories', orgId)

export const countFactories = (tx: Tx, orgId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.factories where org_id = ${orgId}`

interface NewFactory extends FactoryContent {
  id: string
  orgId: string
}

export const insertFactory = (tx: Tx, { id, orgId, name, internal, address }: NewFactory, now: string) => tx`
  insert into sourcing.factories
    (id, org_id, org_name, org_manufactures, name, active, internal, region_code, locality, postal_code, lines, created_at,
      updated_at)
  select ${id}, org.org_id, org.name, 'MANUFACTURER' = any(org.roles), ${name}, true, ${internal},
    ${address.regionCode}, ${address.locality}, ${address.postalCode ?? null}, ${address.lines}, ${now}, ${now}
  from organization.org_directory org where org.org_id = ${orgId}`

export const deleteCapabilities = (tx: Tx, factoryId: string) => tx`
  delete from sourcing.factory_capabilities where factory_id = ${factoryId}`

/** Capabilities are numbered from 1 in the order of the list. A trigger rebuilds the document of the factory. */
export const insertCapabilities = (tx: Tx, factoryId: string, capabilities: readonly Capability[]) => tx`
  insert into sourcing.factory_capabilities (factory_id, ordinal, material_code, technology_id, process_type,
    standard_codes, criticality_ids, box_x, box_y, box_z)
  select ${factoryId}, position, capability->>'materialCode', capability->>'technologyId', capability->>'processType',
    array(select jsonb_array_elements_text(capability->'standardCodes')),
    array(select jsonb_array_elements_text(capability->'criticalityIds')),
    (capability->'maxEnvelope'->>'x')::double precision, (capability->'maxEnvelope'->>'y')::double precision,
    (capability->'maxEnvelope'->>'z')::double precision
  from jsonb_array_elements(${JSON.stringify(capabilities)}::text::jsonb) with ordinality sent (capability, position)`

/** The JSON of an own factory and whether its owner keeps it active, locked until the transaction ends. */
export const lockOwnFactory = (tx: Tx, orgId: string, id: string) => tx<{ document: string; active: boolean }[]>`
  select document, active from sourcing.factories factory where id = ${id} and ${isOwn(tx, orgId)} for update`

export const updateFactory = (tx: Tx, { id, orgId, name, internal, address }: NewFactory, now: string) =>
  tx<{ document: string }[]>`
    update sourcing.factories factory set
      name = ${name}, internal = ${internal}, region_code = ${address.regionCode}, locality = ${address.locality},
      postal_code = ${address.postalCode ?? null}, lines = ${address.lines}, updated_at = ${now}
    where id = ${id} and ${isOwn(tx, orgId)}
    returning document`

/** Sets the time of a change of capabilities. */
export const touchFactory = (tx: Tx, orgId: string, id: string, now: string) => tx<{ document: string }[]>`
  update sourcing.factories factory set updated_at = ${now}
  where id = ${id} and ${isOwn(tx, orgId)}
  returning document`

/** Moves an own factory that is locked. */
export const setActive = (tx: Tx, orgId: string, id: string, active: boolean, now: string) =>
  tx<{ document: string }[]>`
    update sourcing.factories factory set active = ${active}, updated_at = ${now}
    where id = ${id} and ${isOwn(tx, orgId)}
    returning document`

/** A factory that a distributor can release. Its name cannot change until the transaction ends. */
export const lockReleasable = (tx: Tx, id: string) => tx<{ name: string; document: string }[]>`
  select name, document from sourcing.factories factory where id = ${id} and ${isPublic(tx)} for share`

/**
 * A factory of which a distributor can withdraw a release, also if consumers no longer find it. The distributor then
 * cannot read it.
 */
export const findWithdrawable = (tx: Tx, distributorOrgId: string, orgId: string, id: string) =>
  tx<{ document: string | null }[]>`
    select case when ${isPublic(tx)} then document end as document from sourcing.factories factory
    where id = ${id} and ((${isPublic(tx)}) or ${isReleasedBy(tx, distributorOrgId, orgId)})`

/** One row if the organization is engaged through the distributor. */
export const findEngaged = (sql: Sql, distributorOrgId: string, orgId: string) => sql<{ org_id: string }[]>`
  select org_id from organization.org_directory
  where org_id = ${orgId} and distributor_org_id = ${distributorOrgId}`

interface Release {
  factoryId: string
  orgId: string
  distributorOrgId: string
}

/** No row if the factory is released already. */
export const insertRelease = (
  tx: Tx,
  { factoryId, orgId, distributorOrgId }: Release,
  factoryName: string,
  now: string,
) => tx<{ factory_id: string }[]>`
  insert into sourcing.factory_releases (org_id, distributor_org_id, factory_id, name, released_at)
  values (${orgId}, ${distributorOrgId}, ${factoryId}, ${factoryName}, ${now})
  on conflict (org_id, distributor_org_id, factory_id) do nothing
  returning factory_id`

export const deleteRelease = (tx: Tx, { factoryId, orgId, distributorOrgId }: Release) => tx<{ factory_id: string }[]>`
  delete from sourcing.factory_releases
  where org_id = ${orgId} and distributor_org_id = ${distributorOrgId} and factory_id = ${factoryId}
  returning factory_id`

/** Sets the organization's present name and role in its factories; a trigger rebuilds their documents. */
export const refreshOrganization = (tx: Tx, orgId: string) => tx`
  update sourcing.factories factory set org_name = org.name, org_manufactures = 'MANUFACTURER' = any(org.roles)
  from organization.org_directory org
  where factory.org_id = ${orgId} and org.org_id = ${orgId}
    and (factory.org_name, factory.org_manufactures) is distinct from (org.name, 'MANUFACTURER' = any(org.roles))`

interface FactoryRelease {
  factory_id: string
  /** The organizations, as a JSON array. */
  org_ids: string
}

/** The organizations to which a distributor has released factories, of those that are engaged through it. */
export const findReleases = (sql: Sql, distributorOrgId: string, factoryIds: readonly string[], limit: number) => sql<
  FactoryRelease[]
>`
  select wanted.factory_id, to_json(array(
    select released.org_id from sourcing.factory_releases released
    join organization.org_directory org on org.org_id = released.org_id
    where released.factory_id = wanted.factory_id and released.distributor_org_id = ${distributorOrgId}
      and org.distributor_org_id = ${distributorOrgId}
    order by released.org_id limit ${limit}))::text as org_ids
  from unnest(${[...factoryIds]}::text[]) wanted (factory_id)`
