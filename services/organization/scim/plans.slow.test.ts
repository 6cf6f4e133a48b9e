import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadedOrganization, loadUsers } from '../../testing/load/people.ts'
import { workOf } from '../../testing/query-plans.ts'
import * as queries from './queries.ts'

/** No query reads a whole table, whose rows are of many organizations. */
setDefaultTimeout(60_000)
const [USERS, ORGANIZATIONS, LARGEST] = [10_000, 900, 3_000]
/** Roles of the users of the largest organization, which is the most that a query reads. */
const MEMBERSHIPS = 3_500
const db = await testDatabase()
await loadUsers(db.owner, { count: USERS, organizations: ORGANIZATIONS, largest: LARGEST })
const url = db.urlOf('organization')
const [large, small] = [loadedOrganization(0), loadedOrganization(777)]
const [{ domain, userId }] = await db.owner<[{ domain: string; userId: string }]>`
  select split_part(email_key, '@', -1) as domain, id as "userId" from organization.users where org_id = ${large} limit 1`
await db.owner`
  insert into organization.identity_providers
    (id, org_id, name, issuer, client_id, client_secret, default_role_ids, created_at, updated_at)
  select 'idp_' || id, id, 'P', 'https://idp.example.net', 'c', 's', '{}', now(), now()
  from organization.organizations where id in (${large}, ${small})`
await db.owner`
  insert into organization.identity_domains (org_id, provider_id, domain, proof, proved_at)
  values (${large}, ${`idp_${large}`}, ${domain}, 'p', now())`
await db.owner`
  insert into organization.identity_domains (org_id, provider_id, domain, proof)
  values (${small}, ${`idp_${small}`}, ${domain}, 'p')`
await db.owner`update organization.users set external_id = 'ext-' || id`
await db.owner`update organization.roles set external_id = 'ext-' || id`
await db.owner`analyze organization.users, organization.roles, organization.user_roles`
const [{ roleId }] = await db.owner<[{ roleId: string }]>`
  select role_id as "roleId" from organization.user_roles where org_id = ${large}
  group by role_id order by count(*) desc limit 1`

const window = { limit: 100, offset: 0 }
const tx = (sql: Sql) => sql as Tx
const QUERIES: [string, (sql: Sql, orgId: string) => PromiseLike<unknown>][] = [
  ['users', (sql, orgId) => queries.listUsers(sql, orgId, {}, window)],
  ['the last users', (sql, orgId) => queries.listUsers(sql, orgId, {}, { limit: 100, offset: 2_900 })],
  ['a user by the address', (sql, orgId) => queries.listUsers(sql, orgId, { email: `ida@${domain}` }, window)],
  ['a user by the external id', (sql, orgId) => queries.listUsers(sql, orgId, { externalId: `ext-${userId}` }, window)],
  ['the number of users', (sql, orgId) => queries.countUsers(sql, orgId, {})],
  ['the number by the address', (sql, orgId) => queries.countUsers(sql, orgId, { email: `ida@${domain}` })],
  ['a user', (sql, orgId) => queries.findUser(sql, orgId, userId)],
  ['groups', (sql, orgId) => queries.listGroups(sql, orgId, {}, window)],
  ['a group by the name', (sql, orgId) => queries.listGroups(sql, orgId, { displayName: 'VIEWER' }, window)],
  ['a group by the external id', (sql, orgId) => queries.listGroups(sql, orgId, { externalId: 'x' }, window)],
  ['the number of groups', (sql, orgId) => queries.countGroups(sql, orgId, {})],
  ['a group', (sql, orgId) => queries.findGroup(sql, orgId, roleId)],
  ['members', (sql, orgId) => queries.listMembers(sql, orgId, [roleId], 10_001)],
  ['other members', (sql, orgId) => queries.listOtherMembers(tx(sql), orgId, roleId, [userId])],
  ['managed users', (sql, orgId) => queries.listManaged(tx(sql), orgId, [userId])],
  ['a proved domain', (sql, orgId) => queries.findProvedDomain(sql, orgId, domain)],
]

describe(`over ${USERS} users of ${ORGANIZATIONS} organizations`, () => {
  test.each(QUERIES)('%s', async (_, query) => {
    for (const orgId of [large, small]) {
      const { scannedWhole, mostRows } = await workOf(url, (sql) => query(sql, orgId))
      expect([orgId, scannedWhole, mostRows <= MEMBERSHIPS]).toEqual([orgId, [], true])
    }
  })

  test('a pending domain hides everyone, and a proved one shows its people', async () => {
    const [all] = await queries.countUsers(db.owner, large, {})
    const [none] = await queries.countUsers(db.owner, small, {})
    expect([all.count > 2_500, none.count]).toEqual([true, 0])
  })
})
