import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { openSession } from '../sessions/session.ts'
import { connect } from './client.ts'
import { withPasswordFile } from './password-file.ts'

const { owner, ownerUrl, beforeDrop } = await testDatabase()
const role = `rotated_${crypto.randomUUID().slice(0, 8)}`
await owner.unsafe(`create role ${role} login password 'first'`)
const folder = await mkdtemp(join(tmpdir(), 'password-'))
const file = join(folder, 'password')
beforeDrop(() => owner.unsafe(`drop role ${role}`))
afterAll(() => rm(folder, { recursive: true }))

const url = new URL(ownerUrl)
url.username = role
url.password = ''

/** The role of a new connection, or the code with which it is refused. */
async function signIn(): Promise<unknown> {
  const sql = connect(withPasswordFile(url.href, file), { max: 1, applicationName: 'test-password-file' })
  try {
    const [row] = await sql`select current_user as role`
    return row?.role
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('while a password is rotated, no new connection is refused', async () => {
  await writeFile(file, 'first')
  expect(await signIn()).toBe(role)
  await writeFile(file, 'second\nfirst\n')
  expect(await signIn()).toBe(role)
  await owner.unsafe(`alter role ${role} password 'second'`)
  expect(await signIn()).toBe(role)
  await writeFile(file, 'second\n')
  expect(await signIn()).toBe(role)
})

test('a pool reads the file again at each connect', async () => {
  await writeFile(file, 'second')
  const sql = connect(withPasswordFile(url.href, file), { max: 1, applicationName: 'test-password-file' })
  await sql`select 1`
  await owner.unsafe(`alter role ${role} password 'third'`)
  await writeFile(file, 'third')
  await owner`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`
  await until(async () => (await owner`select from pg_stat_activity where usename = ${role}`).length === 0)
  // A query that was sent on the old connection fails with it.
  const isSignedIn = async () => (await sql`select current_user as role`.catch(() => []))[0]?.role === role
  await until(isSignedIn, { what: 'a connect with the new password' })
  await sql.end({ timeout: 1 })
})

test('a session for LISTEN and locks reads the file', async () => {
  await owner.unsafe(`alter role ${role} password 'third'`)
  await writeFile(file, 'fourth\nthird')
  const session = await openSession(withPasswordFile(url.href, file), { applicationName: 'test-password-file' })
  expect(await session.sql`select current_user as role`).toMatchObject([{ role }])
  await session.end()
})

test('passwords that the server does not accept, and a file that was removed: refused', async () => {
  await writeFile(file, 'fifth\nsixth')
  expect(await signIn()).toBe('28P01')
  const withFile = withPasswordFile(url.href, file)
  await rm(file)
  const sql = connect(withFile, { max: 1, applicationName: 'test-password-file' })
  await expect(sql`select 1`.execute()).rejects.toMatchObject({ code: '28P01' })
  await sql.end({ timeout: 1 })
})

test('a file that does not exist at the start is named', () => {
  expect(() => withPasswordFile(url.href, '/nowhere/password')).toThrow(
    'DATABASE_PASSWORD_FILE names /nowhere/password, which does not exist.',
  )
})
