import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { User } from '../../../proto/http/organization/users.ts'
import { findCaller } from '../../kit/auth/queries.ts'
import { connect, type Sql } from '../../kit/db/client.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadedOrganization, loadUsers } from '../../testing/load/people.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { readsOn } from '../../testing/reads.ts'
import { findAdministrator, findUser, listPermissions } from '../authority/queries.ts'
import { findOrganizations, listEngagedOrganizations } from '../organizations/queries.ts'
import { findHolder, findRoles, listRoles } from '../roles/queries.ts'
import { findUsers } from './list.ts'
import { listHolders, listPeople, scanUsers } from './list-queries.ts'
import { findUserByEmail, findUserDocument } from './queries.ts'
import type { Authority, UserFilters, Viewer } from './rules.ts'

const [USERS, ORGANIZATIONS, LARGEST] = [12_000, 900, 5_000]
const db = await testDatabase()
await loadUsers(db.owner, { count: USERS, organizations: ORGANIZATIONS, largest: LARGEST })
const url = db.urlOf('organization')
const sql = connect(url, { max: 2, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const [large, small] = [loadedOrganization(0), loadedOrganization(777)]
const viewerIn = (orgId: string) => ({ orgId, userId: 'user_unknown', seesAll: true })
const page = { limit: 11, offset: 0, after: undefined }
const usersBy = (on: Sql, viewer: Viewer, filters: UserFilters, window: PageWindow) => {
  const reads = readsOn(on)
  return findUsers(reads, reads.read, viewer, filters, window)
}
const roleOf = (orgId: string, position: number) => `role_${position}${orgId.slice(4)}`

/** Every filter alone, and combinations. */
const FILTERS: UserFilters[] = [
  {},
  { active: true },
  { active: false },
  { q: 'juhl' },
  { q: 'ju' },
  { q: 'a name of no user' },
  { admin: true },
  { admin: false },
  { permission: 'part:create' },
  { permission: 'org:admin' },
  { permission: 'case:read', active: false },
  { roleId: roleOf(large, 4) },
  { roleId: roleOf(large, 1), q: 'ada' },
  { q: 'lars' },
  { q: 'lars juhl', active: true },
  { q: 'qx' },
  { q: '@@@' },
  { q: 'a.b' },
  { q: 'a', permission: 'case:read' },
  { q: 'x', admin: true },
  { q: 'goran', permission: 'org:admin' },
  { permission: 'part:update', admin: false },
  { roleId: roleOf(large, 1), permission: 'part:create', active: false },
  { q: 'bodil', active: true, admin: false, permission: 'file:write', roleId: roleOf(large, 2) },
]
const AUTHORITIES: Authority[] = [
  { permission: 'org:admin' },
  { permission: 'part:update' },
  { permission: 'part:create' },
  { roleId: roleOf(large, 4) },
]

async function scannedBy(query: (sql: Sql) => PromiseLike<unknown>): Promise<string[]> {
  return (await planOf(url, query)).scannedWhole
}

describe(`over ${USERS} users of ${ORGANIZATIONS} organizations, no query reads a whole table`, () => {
  test.each(FILTERS.map((filters) => [JSON.stringify(filters), filters] as const))('list %s', async (_, filters) => {
    for (const orgId of [large, small]) {
      for (const offset of [0, 2500]) {
        const { scannedWhole } = await workOf(url, (tx) => usersBy(tx, viewerIn(orgId), filters, { ...page, offset }))
        expect(scannedWhole).toEqual([])
      }
    }
  })

  const authorities = AUTHORITIES.map((authority) => [JSON.stringify(authority), authority] as const)
  test.each(authorities)('holders %s', async (_, authority) => {
    expect(await scannedBy((tx) => listHolders(tx, viewerIn(large), authority, page))).toEqual([])
  })

  const roleListings = [{}, { q: 'x' }, { permission: 'org:admin' }, { userId: 'user_1' }]
  const [id, orgId] = ['user_1', large]
  const single: [string, (sql: Sql) => PromiseLike<unknown>][] = [
    ['people', (tx) => listPeople(tx, viewerIn(large), {}, page)],
    ['active people by a search', (tx) => listPeople(tx, viewerIn(large), { q: 'juhl', active: true }, page)],
    ['engaged organizations', (tx) => listEngagedOrganizations(tx, large, page)],
    ['a user', (tx) => findUserDocument(tx, viewerIn(large), id)],
    ['a user to change', (tx) => findUser(tx, orgId, id)],
    ['a user by address', (tx) => findUserByEmail(tx, 'a@example.com')],
    ['the permissions of a user', (tx) => listPermissions(tx, orgId, id)],
    ['an administrator', (tx) => findAdministrator(tx, orgId)],
    ['the holder of a role', (tx) => findHolder(tx, orgId, 'role_1')],
    ['roles by id', (tx) => findRoles(tx, orgId, ['role_1'])],
    ['organizations', (tx) => findOrganizations(tx, { orgId, operator: false }, ['org_1'])],
    ['the caller of a request', (tx) => findCaller(tx, id)],
    ...roleListings.map((listing): [string, (sql: Sql) => PromiseLike<unknown>] => [
      `roles ${JSON.stringify(listing)}`,
      (tx) => listRoles(tx, orgId, listing, page),
    ]),
  ]
  test.each(single)('%s', async (_, query) => {
    expect(await scannedBy(query)).toEqual([])
  })
})

describe('every strategy finds the page that a scan of all users finds', () => {
  const filters = [...FILTERS.slice(1), ...AUTHORITIES]
  test.each(filters.map((chosen) => [JSON.stringify(chosen), chosen] as const))('%s', async (_, chosen) => {
    for (const orgId of [large, small]) {
      const viewer = viewerIn(orgId)
      const all = await scanUsers(sql, viewer, chosen, { ...page, limit: USERS })
      const offsets = [0, 1995, 2010, all.length - 5, all.length]
      for (const offset of offsets.filter((number) => number >= 0 && number <= all.length)) {
        const after = all[offset - 1]?.position
        for (const window of [
          { ...page, offset },
          { ...page, after },
        ]) {
          const found = await usersBy(sql, viewer, chosen, window)
          expect(found.map(({ position, document }) => ({ position, document }))).toEqual(
            all.slice(offset, offset + 11),
          )
        }
      }
    }
  })

  test('the filters of this test are common, rare and without a match', async () => {
    const counts = await Promise.all(
      filters.map(async (chosen) => (await scanUsers(sql, viewerIn(large), chosen, { ...page, limit: USERS })).length),
    )
    expect(counts.filter((count) => count > 3000).length).toBeGreaterThan(3)
    expect(counts.filter((count) => count > 0 && count < 500).length).toBeGreaterThan(3)
    expect(counts).toContain(0)
  })
})

test('a text that few users match is found without a scan', async () => {
  for (const q of ['a name of no user', '77a7', 'bodil ekvik']) {
    const { mostRows, busiest } = await workOf(url, (tx) => usersBy(tx, viewerIn(large), { q }, page))
    expect([busiest, mostRows < 2500]).toEqual([busiest, true])
  }
})

test('the list of a large organization is ordered and complete', async () => {
  const rows = await scanUsers(sql, viewerIn(large), {}, { ...page, limit: USERS })
  const emails = rows.map(({ document }) => (JSON.parse(document) as User).email.toLowerCase())
  expect(emails).toHaveLength(LARGEST)
  expect(emails).toEqual([...emails].sort())
  const last = await scanUsers(sql, viewerIn(large), {}, { ...page, offset: LARGEST - 3 })
  expect(last.map(({ document }) => document)).toEqual(rows.slice(-3).map(({ document }) => document))
})

test('every document is a User, with and without the fields for administrators', async () => {
  const isUser = TypeCompiler.Compile(User)
  for (const seesAll of [true, false]) {
    const rows = await scanUsers(sql, { ...viewerIn(large), seesAll }, {}, { ...page, limit: 2000 })
    for (const { document } of rows) {
      const user = JSON.parse(document) as User
      expect([isUser.Check(user), 'admin' in user]).toEqual([true, seesAll])
    }
  }
})
