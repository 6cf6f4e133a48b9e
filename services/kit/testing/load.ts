import type { Pool } from '../db/client.ts'

/**
 * Fills the database with parts of many organizations for tests of scale, under the owner's role: the product has no such
 * path. Half are published; every tenth is internal. Titles are drawn from a small vocabulary, so that some words are
 * common and some are rare.
 */
export async function loadParts(owner: Pool, { count, organizations }: { count: number; organizations: number }) {
  for (let first = 1; first <= count; first += PARTS_AT_A_TIME) {
    await insertParts(owner, { first, last: Math.min(first + PARTS_AT_A_TIME - 1, count), count, organizations })
  }
  await owner`vacuum (analyze) sourcing.parts`
}

/** A long transaction holds up whoever reads events, in every database of the server. */
const PARTS_AT_A_TIME = 10_000

const insertParts = (
  owner: Pool,
  { first, last, count, organizations }: { first: number; last: number; count: number; organizations: number },
) => owner`
    insert into sourcing.parts (
      id, serial_number, ip_owner_org_id, state, title, external_ref, description, require_subscription, material_type,
      material_id, process_id, technology_ids, standard_ids, criticality_ids, category_ids, unspsc_category_ids, keywords,
      internal, unit_system, business_unit_ids, box_x, box_y, box_z, metadata, custom_fields, created_at, updated_at,
      published_at)
    select
      'part_' || lpad(n::text, 26, '0'), 'L-' || lpad(n::text, 8, '0'), 'org_' || (n % ${organizations}),
      case when n % 2 = 0 then 'PUBLISHED' else 'DRAFT' end,
      (array['Impeller', 'Wear ring', 'Casing', 'Shaft sleeve', 'Valve body', 'Bracket', 'Gear', 'Nozzle'])[1 + n % 8]
        || ' ' || md5(n::text),
      'REF-' || lpad((n::bigint * 7919 % ${count})::text, 8, '0'),
      'A part that stands for one of a real catalog: a description of some sentences, as people write them. ' || n,
      false, 'metal', '316l', 'pbf-metal', array['pbf-lb-m', 'pbf-eb-m'], array['iso-astm-52901'], '{}',
      array['iso-14224-pu'], array['40151503'], array['spare', 'pump'], n % 10 = 0, 'METRIC', '{}', n % 500, 120, 45.5,
      '{"pump": "P-101A"}', '[]', now() - make_interval(secs => ${count} - n), now() - make_interval(secs => ${count} - n),
      case when n % 2 = 0 then now() end
    from generate_series(${first}::int, ${last}::int) n`

export interface PeopleToLoad {
  count: number
  organizations: number
  /** Users of the first organization; the others share the rest evenly. */
  largest: number
}

/** Organizations as `loadUsers` names them; the first one is the large one. */
export const loadedOrganization = (number: number) => `org_${String(number).padStart(26, '0')}`

/**
 * Fills the database with people: in each organization an Administrator or two, most of the others in one role, a tenth
 * in a second one as well, every twentieth deactivated.
 */
export async function loadUsers(owner: Pool, { count, organizations, largest }: PeopleToLoad) {
  await insertOrganizations(owner, organizations)
  for (let first = 0; first < count; first += USERS_AT_A_TIME) {
    const last = Math.min(first + USERS_AT_A_TIME, count) - 1
    await insertUsers(owner, { first, last, organizations, largest })
  }
  await owner`vacuum (analyze) organization.organizations, organization.roles, organization.users, organization.user_roles`
}

const USERS_AT_A_TIME = 10_000

const insertOrganizations = (owner: Pool, organizations: number) => owner`
    with made as (
      insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
      select 'org_' || lpad(n::text, 26, '0'), 'Organization ' || n, array['IP_OWNER'], 'NO', 'DIRECT', now()
      from generate_series(0, ${organizations - 1}::int) n
      returning id
    )
    insert into organization.roles (id, org_id, name, permissions, system, created_at)
    select 'role_' || r.position || substr(made.id, 5), made.id, r.name, r.permissions, r.position < 4, now()
    from made cross join (values
      (1, 'Administrator', array['org:admin', 'user:manage', 'role:manage', 'part:create', 'webhook:manage']),
      (2, 'IP owner', array['app:ip-owner', 'part:create', 'part:update', 'part:publish', 'part:delete', 'file:write']),
      (3, 'Viewer', '{}'),
      (4, 'Drawing office', array['part:update', 'file:write', 'case:read'])
    ) r (position, name, permissions)`

/** The person of number n belongs to the large organization, or to the others in turns. */
const insertUsers = (
  owner: Pool,
  { first, last, organizations, largest }: { first: number; last: number; organizations: number; largest: number },
) => owner`
    with people as materialized (
      select n, case when n < ${largest} then 0 else 1 + n % (${organizations}::int - 1) end as org,
        (array['Ada', 'Bodil', 'Celia', 'Davor', 'Eirik', 'Femke', 'Goran', 'Hanne', 'Ingrid', 'Jonas', 'Kadri', 'Lars'])[1 + n * 7 % 12] as given,
        (array['Aas', 'Berg', 'Carlsen', 'Dahl', 'Ek', 'Friis', 'Gran', 'Holm', 'Iversen', 'Juhl'])[1 + n * 13 % 10]
          || (array['', 'sen', 'stad', 'vik', 'mann'])[1 + n / 10 % 5] as family
      from generate_series(${first}::int, ${last}::int) n
    ), users as (
      insert into organization.users
        (id, org_id, email, given_name, family_name, phone, active, credentials_valid_from, created_at, updated_at)
      select 'user_' || lpad(n::text, 26, '0'), 'org_' || lpad(org::text, 26, '0'),
        lower(given || '.' || family) || '.' || md5(n::text) || '@org' || org || '.example.com', given, family,
        case when n % 3 = 0 then '+47 ' || n end, n % 20 <> 7, now(), now(), now()
      from people
      returning id, org_id, email_key
    )
    insert into organization.user_roles (org_id, user_id, role_id, email_key)
    select u.org_id, u.id, 'role_' || held.position || substr(u.org_id, 5), u.email_key
    from people join users u on u.id = 'user_' || lpad(people.n::text, 26, '0')
    cross join lateral (
      select case when people.n / ${organizations}::int % 60 = 0 then 1 when people.n % 9 = 0 then 3 else 2 end as position
      union all select 4 where people.n % 10 = 3
    ) held`
