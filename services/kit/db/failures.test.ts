import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { connect } from './client.ts'
import { isDependencyFailure } from './failures.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 3, applicationName: 'test-failures' })
afterAll(() => sql.end())

const usage = (orgId: string) =>
  db.owner`insert into sourcing.storage_usage (org_id, stored_bytes) values (${orgId}, 0)`
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

test('a deadlock is a dependency failure', async () => {
  await Promise.all([usage('org_1'), usage('org_2')])
  let locked = 0
  const lockBoth = (first: string, second: string) =>
    sql.begin(async (tx) => {
      await tx`select org_id from sourcing.storage_usage where org_id = ${first} for update`
      locked++
      await until(() => locked === 2)
      await tx`select org_id from sourcing.storage_usage where org_id = ${second} for update`
    })
  const failures = await Promise.all([failureOf(lockBoth('org_1', 'org_2')), failureOf(lockBoth('org_2', 'org_1'))])
  const [failure, ...more] = failures.filter((error) => error !== undefined)
  expect(more).toEqual([])
  expect(failure).toMatchObject({ code: '40P01' })
  expect(isDependencyFailure(failure)).toBe(true)
})

test('a serialization failure is a dependency failure', async () => {
  await usage('org_3')
  const failure = await failureOf(
    sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select stored_bytes from sourcing.storage_usage where org_id = 'org_3'`
      await sql`update sourcing.storage_usage set stored_bytes = 1 where org_id = 'org_3'`
      await tx`update sourcing.storage_usage set stored_bytes = 2 where org_id = 'org_3'`
    }),
  )
  expect(failure).toMatchObject({ code: '40001' })
  expect(isDependencyFailure(failure)).toBe(true)
})

test('a password that was changed is a dependency failure', async () => {
  const url = new URL(db.urlOf('sourcing'))
  url.password = 'the password before'
  const stale = connect(url.href, { max: 1, applicationName: 'test-failures' })
  const failure = await failureOf(stale`select 1`)
  await stale.end()
  expect(failure).toMatchObject({ code: '28P01' })
  expect(isDependencyFailure(failure)).toBe(true)
})

test('a constraint violation is not a dependency failure', async () => {
  expect(isDependencyFailure(await failureOf(usage('org_3')))).toBe(false)
  expect(isDependencyFailure(undefined)).toBe(false)
})
