import { PERMISSIONS } from '../../../proto/permissions.ts'
import type { Pool } from '../../kit/db/client.ts'

interface PeopleToLoad {
  count: number
  organizations: number
  /** Users of the first organization; the others share the rest evenly. */
  largest: number
}

/** The id of a loaded organization; the first one, number 0, is the large one. */
export const loadedOrganization = (number: number) => `org_L${String(number).padStart(25, '0')}`

/**
 * Inserts users for load tests. In each organization one user, and about every thousandth user, is an Administrator.
 * Most of the others hold one role, a tenth hold a second one, and every twentieth is deactivated.
 */
export async function loadUsers(owner: Pool, { count, organizations, largest }: PeopleToLoad) {
  await insertOrganizations(owner, organizations)
  for (let first = 0; first < count; first += BATCH_SIZE) {
    const last = Math.min(first + BATCH_SIZE, count) - 1
    await insertUsers(owner, { first, last, organizations, largest })
  }
  await owner`vacuum (analyze) organization.organizations, organization.roles, organization.users, organization.user_roles`
}

const BATCH_SIZE = 10_000

const insertOrganizations = (owner: Pool, organizations: number) => owner`
    with created as (
      insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
      select 'org_L' || lpad(n::text, 25, '0'), 'Organization ' || n, array['IP_OWNER'], 'NO', 'DIRECT', now()
      from generate_series(0, ${organizations - 1}::int) n
      returning id
    )
    insert into organization.roles (id, org_id, name, permissions, system, created_at)
    select 'role_' || r.position || substr(created.id, 5), created.id, r.name, r.permissions, r.position < 4, now()
    from created cross join (values
      (1, 'Administrator', array['org:admin', 'user:manage', 'role:manage', 'part:create', 'file:write', 'webhook:manage']),
      (2, 'IP owner', array['app:ip-owner', 'part:create', 'part:update', 'part:publish', 'part:delete', 'file:write']),
      (3, 'Viewer', '{}'),
      (4, 'Drawing office', array['part:update', 'file:write', 'case:read'])
    ) r (position, name, permissions)`

/** The first `largest` users belong to the large organization, the rest to the others in turn. */
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
        (id, org_id, email, given_name, family_name, phone, active, created_at, updated_at)
      select 'user_L' || lpad(n::text, 25, '0'), 'org_L' || lpad(org::text, 25, '0'),
        lower(given || '.' || family) || '.' || md5(n::text) || '@org' || org || '.example.com', given, family,
        case when n % 3 = 0 then '+47 ' || n end, n % 20 <> 7, now(), now()
      from people
      returning id, org_id, email_key
    )
    insert into organization.user_roles (org_id, user_id, role_id, email_key)
    select u.org_id, u.id, 'role_' || held.position || substr(u.org_id, 5), u.email_key
    from people join users u on u.id = 'user_L' || lpad(people.n::text, 25, '0')
    cross join lateral (
      select case when people.n % 997 = 0 or people.n - ${largest} between 0 and ${organizations}::int - 2 then 1 when people.n % 9 = 0 then 3 else 2 end as position
      union all select 4 where people.n % 10 = 3
    ) held`

/** Inserts a directly engaged organization with every role, and one user who holds every permission. */
export async function loadTrader(owner: Pool, orgId: string) {
  await owner`
    insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
    values (${orgId}, ${`Trader ${orgId}`}, '{CONSUMER,IP_OWNER,MANUFACTURER,SELLER,DISTRIBUTOR}', 'NO', 'DIRECT', now())`
  await owner`
    insert into organization.roles (id, org_id, name, permissions, system, created_at)
    values (${`role_${orgId}`}, ${orgId}, 'Administrator', ${[...PERMISSIONS]}, true, now())`
  await owner`
    with inserted as (
      insert into organization.users (id, org_id, email, given_name, family_name, active, created_at, updated_at)
      values (${`user_L${orgId}`}, ${orgId}, ${`${orgId}@trade.example.com`}, 'Tove', 'Trader', true, now(), now())
      returning id, org_id, email_key)
    insert into organization.user_roles (org_id, user_id, role_id, email_key)
    select org_id, id, ${`role_${orgId}`}, email_key from inserted`
}
