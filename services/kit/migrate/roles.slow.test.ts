import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { migrateTest, OWNER, testPasswords, testServerUrl, withDatabase } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { roleOf } from '../db/roles.ts'

const server = connect(testServerUrl(), { max: 1, applicationName: 'test' })
const databases: string[] = []
const prefixes: string[] = []
afterAll(async () => {
  for (const name of databases) await server`drop database if exists ${server(name)} with (force)`
  for (const prefix of prefixes) {
    for (const service of SERVICES) await server`drop role if exists ${server(roleOf(service, prefix))}`
  }
  await server.end({ timeout: 1 })
})

/** The URL of an empty database of the test owner, a role with `login createrole` alone. */
async function emptyDatabase(options = ''): Promise<string> {
  const name = `roles_${crypto.randomUUID().replaceAll('-', '')}`
  await server.unsafe(`create database ${name} owner ${OWNER} ${options}`)
  databases.push(name)
  return withDatabase(testServerUrl(), name)
}

function newPrefix(): string {
  const prefix = `r${crypto.randomUUID().slice(0, 8)}_`
  prefixes.push(prefix)
  return prefix
}

const signIn = async (url: string, role: string, password: string) => {
  const of = new URL(url)
  of.username = role
  of.password = password
  const sql = connect(of.href, { max: 1, applicationName: 'test' })
  try {
    const [row] = await sql<{ path: string; statements: string; workers: string; zone: string }[]>`
      select current_setting('search_path') as path, current_setting('statement_timeout') as statements,
        current_setting('max_parallel_workers_per_gather') as workers, current_setting('timezone') as zone`
    return row
  } finally {
    await sql.end({ timeout: 1 })
  }
}

describe('an owner with `login createrole`', () => {
  test('migrates; the roles sign in with their passwords and have their settings and no other attribute', async () => {
    const url = await emptyDatabase()
    const rolePrefix = newPrefix()
    await migrateTest(url, { rolePrefix, installation: 'first' })
    for (const service of SERVICES) {
      const role = roleOf(service, rolePrefix)
      expect(await signIn(url, role, testPasswords[service])).toEqual({
        path: `${service}, public`,
        statements: '5s',
        workers: '0',
        zone: 'UTC',
      })
      const [attributes] = await server`
        select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as privileged from pg_roles
        where rolname = ${role}`
      expect(attributes).toEqual({ privileged: false })
    }
    // A password with a letter of another alphabet and a quote.
    const passwords = { ...testPasswords, catalog: "Größe's" }
    await migrateTest(url, { rolePrefix, installation: 'first', passwords })
    await signIn(url, roleOf('catalog', rolePrefix), passwords.catalog)
  })

  test('a role that a superuser has given more than it needs is refused by its name', async () => {
    const url = await emptyDatabase()
    const rolePrefix = newPrefix()
    await server.unsafe(`create role ${roleOf('sourcing', rolePrefix)} login createdb bypassrls`)
    await expect(migrateTest(url, { rolePrefix })).rejects.toThrow(
      `The role ${roleOf('sourcing', rolePrefix)} must not have the attributes createdb, bypassrls.`,
    )
  })

  test('without createrole it says what to do', async () => {
    const url = await emptyDatabase()
    const name = `plain_${crypto.randomUUID().slice(0, 8)}`
    await server.unsafe(`create role ${name} login password 'plain'`)
    await server.unsafe(`alter database ${new URL(url).pathname.slice(1)} owner to ${name}`)
    const plain = new URL(url)
    plain.username = name
    plain.password = 'plain'
    const rolePrefix = newPrefix()
    await expect(migrateTest(plain.href, { rolePrefix, url: plain.href })).rejects.toThrow(
      /may not run `create role .*`.*Give it createrole, or create the roles yourself and set DATABASE_MANAGE_ROLES=false\./,
    )
    // With the roles of an administrator it migrates.
    const statements = await migrateTest(plain.href, { rolePrefix, url: plain.href, passwords: undefined }).catch(
      ({ message }) => message.split('\n').slice(1).join('\n'),
    )
    expect(statements).toContain(`create role ${roleOf('identity', rolePrefix)} login;`)
    await server.unsafe(statements)
    await migrateTest(plain.href, { rolePrefix, url: plain.href, passwords: undefined })
    await server.unsafe(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
    await server.unsafe(`drop role ${name}`)
  })
})

describe('two installations on one server', () => {
  test('with one prefix the second is refused, and the passwords of the first still work', async () => {
    const rolePrefix = newPrefix()
    const [first, second] = [await emptyDatabase(), await emptyDatabase()]
    await migrateTest(first, { rolePrefix, installation: 'first' })
    const other = { ...testPasswords, identity: 'of the second' }
    await expect(migrateTest(second, { rolePrefix, installation: 'second', passwords: other })).rejects.toThrow(
      `The role ${roleOf('organization', rolePrefix)} belongs to another installation on this server (first). Choose another DATABASE_ROLE_PREFIX.`,
    )
    await signIn(first, roleOf('identity', rolePrefix), testPasswords.identity)
  })

  test('with two prefixes both migrate, and the roles of one may not read the other', async () => {
    const [one, two] = [newPrefix(), newPrefix()]
    const [first, second] = [await emptyDatabase(), await emptyDatabase()]
    await migrateTest(first, { rolePrefix: one, installation: 'first' })
    await migrateTest(second, { rolePrefix: two, installation: 'second' })
    const url = new URL(second)
    url.username = roleOf('sourcing', one)
    url.password = testPasswords.sourcing
    const stranger = connect(url.href, { max: 1, applicationName: 'test' })
    await expect(stranger`select id from sourcing.parts`.execute()).rejects.toThrow('permission denied')
    await stranger.end({ timeout: 1 })
  })
})

test('a database whose locale does not fold the case of all alphabets is refused with the statement to run', async () => {
  const url = await emptyDatabase("template template0 encoding 'UTF8' locale 'C' locale_provider libc")
  await expect(migrateTest(url)).rejects.toThrow(
    "create database marketplace template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8';",
  )
})

test('no statement of the migrator contains a password', async () => {
  const url = await emptyDatabase()
  const rolePrefix = newPrefix()
  const passwords = { ...testPasswords, webhooks: 'a-password-of-this-test' }
  await server.unsafe(`alter database ${new URL(url).pathname.slice(1)} set log_statement = 'all'`)
  await migrateTest(url, { rolePrefix, passwords })
  const log = await Bun.file(join(process.env.TEST_FOLDER ?? '', 'postgres.log')).text()
  expect(log).toContain('SCRAM-SHA-256')
  expect(log).not.toContain(passwords.webhooks)
})
