import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { User } from '../../../proto/http/organization/users.ts'
import { findSignIn } from '../../identity/tokens/queries.ts'
import { findCaller } from '../../kit/auth/queries.ts'
import { connect, type Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../kit/testing/database.ts'
import { loadedOrganization, loadUsers } from '../../kit/testing/people-load.ts'
import { planOf } from '../../kit/testing/plans.ts'
import { findAdministrator, listKeys } from '../authority/queries.ts'
import { findOrganizations } from '../organizations/queries.ts'
import { findHolder, findRoles, listRoles } from '../roles/queries.ts'
import { findUser, findUserByEmail, findUserDocument, listHolders, listUsers } from './queries.ts'
import type { Held, UserFilters } from './rules.ts'

const [USERS, ORGANIZATIONS, LARGEST] = [200_000, 2000, 40_000]
const db = await testDatabase()
await loadUsers(db.owner, { count: USERS, organizations: ORGANIZATIONS, largest: LARGEST })
const url = db.urlOf('organization')
const sql = connect(url, { max: 2, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const [large, small] = [loadedOrganization(0), loadedOrganization(777)]
const viewerIn = (orgId: string) => ({ orgId, userId: 'user_nobody', seesAll: true })
const page = { limit: 11, offset: 0 }
const roleOf = (orgId: string, position: number) => `role_${position}${orgId.slice(4)}`

/** Every filter by itself, and what they give together. */
const FILTERS: UserFilters[] = [
  {},
  { active: true },
  { active: false },
  { q: 'juhl' },
  { q: 'ju' },
  { q: 'nobody is called so' },
  { admin: true },
  { admin: false },
  { permission: 'part:create' },
  { permission: 'org:admin' },
  { permission: 'case:read', active: false },
  { roleId: roleOf(large, 4) },
  { roleId: roleOf(large, 1), q: 'ada' },
  { q: 'bodil', active: true, admin: false, permission: 'file:write', roleId: roleOf(large, 2) },
]
const HELD: Held[] = [{ permission: 'org:admin' }, { permission: 'part:update' }, { roleId: roleOf(large, 4) }]

async function scannedBy(query: (sql: Sql) => PromiseLike<unknown>, of = url): Promise<string[]> {
  return (await planOf(of, query)).scannedWhole
}

describe(`over ${USERS} users of ${ORGANIZATIONS} organizations, no query reads a whole table`, () => {
  test.each(FILTERS.map((filters) => [JSON.stringify(filters), filters] as const))('list %s', async (_, filters) => {
    expect(await scannedBy((tx) => listUsers(tx, viewerIn(large), { ...filters, ...page }))).toEqual([])
  })

  test.each(HELD.map((held) => [JSON.stringify(held), held] as const))('holders %j', async (_, held) => {
    expect(await scannedBy((tx) => listHolders(tx, viewerIn(large), held, page))).toEqual([])
  })

  const roleListings = [{}, { q: 'x' }, { permission: 'org:admin' }, { userId: 'user_1' }]
  const [id, orgId] = ['user_1', large]
  const single: [string, (sql: Sql) => PromiseLike<unknown>][] = [
    ['a user', (tx) => findUserDocument(tx, viewerIn(large), id)],
    ['a user to change', (tx) => findUser(tx, orgId, id)],
    ['a user by address', (tx) => findUserByEmail(tx, 'a@example.com')],
    ['the keys of a user', (tx) => listKeys(tx, orgId, id)],
    ['an administrator', (tx) => findAdministrator(tx, orgId)],
    ['the holder of a role', (tx) => findHolder(tx, orgId, 'role_1')],
    ['roles by id', (tx) => findRoles(tx, orgId, ['role_1'])],
    ['organizations', (tx) => findOrganizations(tx, { orgId, operator: false }, ['org_1'])],
    ['the caller of a request', (tx) => findCaller(tx, id)],
    ...roleListings.map((listing): [string, (sql: Sql) => PromiseLike<unknown>] => [
      `roles ${JSON.stringify(listing)}`,
      (tx) => listRoles(tx, orgId, { ...listing, ...page }),
    ]),
  ]
  test.each(single)('%s', async (_, query) => {
    expect(await scannedBy(query)).toEqual([])
  })

  test('who signs in', async () => {
    const scanned = await scannedBy((tx) => findSignIn(tx, 'a@example.com'), db.urlOf('identity'))
    // A test has no passwords: the small table beside the users may well be read whole.
    expect(scanned.filter((table) => table !== 'credentials')).toEqual([])
  })
})

describe('a page of holders is the page that every filter gives', () => {
  test.each([large, small])('in %s, from the first to the last', async (orgId) => {
    const viewer = viewerIn(orgId)
    const roleId = roleOf(orgId, 4)
    for (const held of [{ permission: 'org:admin' }, { permission: 'part:update' }, { roleId }]) {
      const all = await listUsers(sql, viewer, { ...held, limit: USERS, offset: 0 })
      expect(all.length).toBeGreaterThan(0)
      for (const offset of [0, Math.floor(all.length / 2), all.length - 5, all.length]) {
        const rows = await listHolders(sql, viewer, held, { limit: 11, offset: Math.max(0, offset) })
        expect(rows.map(({ document }) => document)).toEqual(
          all.slice(Math.max(0, offset), Math.max(0, offset) + 11).map(({ document }) => document),
        )
      }
    }
  })
})

test('the list of a large organization is ordered, and complete', async () => {
  const rows = await listUsers(sql, viewerIn(large), { limit: USERS, offset: 0 })
  const emails = rows.map(({ document }) => (JSON.parse(document) as User).email.toLowerCase())
  expect(emails).toHaveLength(LARGEST)
  expect(emails).toEqual([...emails].sort())
  const last = await listUsers(sql, viewerIn(large), { limit: 11, offset: LARGEST - 3 })
  expect(last.map(({ document }) => document)).toEqual(rows.slice(-3).map(({ document }) => document))
})

test('every document is a User, in both shapes', async () => {
  const isUser = TypeCompiler.Compile(User)
  for (const seesAll of [true, false]) {
    const rows = await listUsers(sql, { ...viewerIn(large), seesAll }, { limit: 2000, offset: 0 })
    for (const { document } of rows) {
      const user = JSON.parse(document) as User
      expect([isUser.Check(user), 'admin' in user]).toEqual([true, seesAll])
    }
  }
})
