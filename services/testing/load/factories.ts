import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

interface FactoriesToLoad {
  count: number
  organizations: number
}

/** The capabilities of each factory. */
const CAPABILITIES = 10

/**
 * Inserts factories of many organizations into empty tables under the owner's role, for load tests. Every tenth is
 * internal, and every twentieth inactive. Most materials and technologies are common; zirconia, vacuum casting, Iceland
 * and the standard AS9100 are rare. Every fifth factory is released to `org_engaged` by `org_distributor`, and some
 * hundreds to each of a hundred other organizations.
 */
export async function loadFactories(owner: Owner, { count, organizations }: FactoriesToLoad): Promise<void> {
  const tables = ['sourcing.factories', 'sourcing.factory_capabilities']
  // References need no check.
  await fill(owner, { tables, without: { all: 'sourcing.factory_capabilities' }, count }, async (rows) => {
    await insertFactories(owner, { ...rows, organizations })
    await insertCapabilities(owner, rows)
    await owner`update sourcing.factories set document = '' where id between ${idOf(rows.first)} and ${idOf(rows.last)}`
  })
  await insertReleases(owner)
  await owner`vacuum (analyze) sourcing.factory_releases`
}

const idOf = (n: number) => `factory_${String(n).padStart(26, '0')}`

const insertFactories = (
  owner: Owner,
  { first, last, organizations }: { first: number; last: number; organizations: number },
) => owner`
    insert into sourcing.factories
      (id, org_id, org_name, org_manufactures, name, active, internal, region_code, locality, postal_code, lines, created_at,
        updated_at)
    select 'factory_' || lpad(n::text, 26, '0'), 'org_' || (n % ${organizations}), 'Manufacturer ' || (n % ${organizations}), true,
      (array['Precision Works', 'Foundry', 'Additive Centre', 'Machine Shop', 'Plant', 'Tool Room', 'Mill'])[1 + abs(hashint4(n)) % 7]
        || ' ' || md5(n::text),
      n % 20 <> 7, n % 10 = 0,
      case when n % 10000 = 3 then 'IS' else (array['NO', 'DE', 'PL', 'SG', 'US', 'CN', 'BR'])[1 + n / 7 % 7] end,
      case when n % 10000 = 3 then 'Reykjavík'
        else (array['Bergen', 'Bremen', 'Gdańsk', 'Singapore', 'Houston', 'Shenzhen', 'São Paulo', 'Essen'])[1 + n / 3 % 8] end,
      '5003', array['Industrial road ' || n], now(), now()
    from generate_series(${first}::int, ${last}::int) n`

/** The first capability of a factory may be a rare one. */
const insertCapabilities = (owner: Owner, { first, last }: { first: number; last: number }) => owner`
    with materials as (
      select array_agg(code order by code) as codes from catalog.material_lookup where code <> 'zro2'
    ), technologies as (
      select array_agg(id order by id) as ids, array_agg(production_process_type order by id) as types
      from catalog.technology_lookup where id <> 'vc'
    )
    insert into sourcing.factory_capabilities (factory_id, ordinal, material_code, technology_id, process_type,
      standard_codes, criticality_ids, box_x, box_y, box_z)
    select 'factory_' || lpad(n::text, 26, '0'), k,
      case when k = 1 and n % 10000 = 5 then 'zro2' else codes[1 + (n * 7 + k * 13) % cardinality(codes)] end,
      case when k = 1 and n % 10000 = 9 then 'vc' else ids[1 + (n * 11 + k * 5) % cardinality(ids)] end,
      case when k = 1 and n % 10000 = 9 then 'rapid_casting' else types[1 + (n * 11 + k * 5) % cardinality(ids)] end,
      case when k = 1 and n % 10000 = 11 then array['as9100'] when (n + k) % 3 = 0 then array['iso-astm-52901', 'iso-9001']
        else '{}'::text[] end,
      case when (n + k) % 4 = 0 then array['api-20s-amsl-2'] else '{}'::text[] end,
      100 + n % 500, 100 + n % 500, 50 + n % 400
    from generate_series(${first}::int, ${last}::int) n cross join generate_series(1, ${CAPABILITIES}::int) k
      cross join materials cross join technologies`

const insertReleases = (owner: Owner) => owner`
    insert into sourcing.factory_releases (org_id, distributor_org_id, factory_id, name, released_at)
    select 'org_engaged', 'org_distributor', id, name, now() from sourcing.factories where id like '%5' or id like '%3'
    union all
    select 'org_engaged' || right(id, 2), 'org_distributor', id, name, now()
    from sourcing.factories where id like '%7__'`
