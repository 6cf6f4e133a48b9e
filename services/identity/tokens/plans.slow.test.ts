import { expect, test } from 'bun:test'
import { findCallerOfSession } from '../../kit/auth/queries.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadUsers } from '../../testing/load/people.ts'
import { planOf } from '../../testing/query-plans.ts'
import { findSignIn } from './queries.ts'

const db = await testDatabase()
await loadUsers(db.owner, { count: 10_000, organizations: 300, largest: 3_000 })

test('a sign-in among 10,000 users reads no whole table of users', async () => {
  const { scannedWhole } = await planOf(db.urlOf('identity'), (sql) => findSignIn(sql, 'a@example.com'))
  // These users have no credentials, so scanning that empty table is right.
  expect(scannedWhole.filter((table) => table !== 'credentials')).toEqual([])
})

test('the caller of a command among 10,000 users is found by indexes', async () => {
  const caller = { userId: 'user_1', sessionId: 'sess_1' }
  const { scannedWhole } = await planOf(db.urlOf('sourcing'), (sql) => findCallerOfSession(sql, caller))
  const empty = ['sessions', 'service_account_keys', 'revoked_tokens']
  expect(scannedWhole.filter((table) => !empty.includes(table))).toEqual([])
})
