import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { asOwner, emptyTestDatabase, migrateTest } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { connect } from '../db/client.ts'
import { migrationsOf } from './files.ts'

/** Empty databases, made before the tests, because they are dropped after the file. */
const urls = await Promise.all([1, 2, 3].map(async () => (await emptyTestDatabase()).ownerUrl))
const emptyDatabase = () => urls.pop() as string

test('an index whose concurrent creation was interrupted: the next run creates it again', async () => {
  const url = emptyDatabase()
  await migrateTest(url)
  const owner = connect(asOwner(url), { max: 2, applicationName: 'test', searchPath: 'sourcing' })
  await owner`create table twice (value integer)`
  await owner`insert into twice values (1), (1)`
  // A unique index over equal values fails like a killed session: its name is taken, and it is invalid.
  await owner`create unique index concurrently twice_value on twice (value)`.catch(() => {})
  const folder = await mkdtemp(join(tmpdir(), 'later-'))
  const path = join(folder, '9001_twice.sql')
  await writeFile(path, '-- no transaction\ncreate index concurrently twice_value on twice (value);\n')
  await migrateTest(url, { later: { sourcing: [{ name: '9001_twice.sql', path }] } })
  expect([
    ...(await owner`select indisvalid, indisunique from pg_index where indexrelid = 'twice_value'::regclass`),
  ]).toEqual([{ indisvalid: true, indisunique: false }])
  await rm(folder, { recursive: true })
  await owner.end({ timeout: 1 })
})

test('a migrator that is killed in a migration: nothing of it remains, and the next run applies it', async () => {
  const url = emptyDatabase()
  const migrator = () =>
    Bun.spawn([process.execPath, join(import.meta.dir, '../../../scripts/commands/migrate/main.ts')], {
      env: {
        ...process.env,
        DATABASE_URL: asOwner(url),
        ...Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, name])),
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
  await migrateTest(url, { before: { sourcing: '0003_history.sql' } })
  const owner = connect(asOwner(url), { max: 2, applicationName: 'test', searchPath: 'sourcing' })
  const applied = async () => (await owner`select name from schema_migrations where name like '0003%'`).length
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // The migration waits at its record, after all its statements.
  const blocker = owner.begin(async (tx) => {
    await tx`insert into schema_migrations (name, checksum) values ('0003_history.sql', 'other')`
    holding.resolve()
    await release.promise
    throw new Error('rolled back')
  })
  await holding.promise
  const killed = migrator()
  await until(
    async () =>
      (await owner`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
        .length > 0,
    { what: 'a migration that waits' },
  )
  killed.kill('SIGTERM')
  await killed.exited
  release.resolve()
  await blocker.catch(() => {})
  await until(
    async () =>
      (
        await owner`
        select from pg_stat_activity
        where application_name = 'marketplace-migrate' and datname = current_database()`
      ).length === 0,
    { what: 'the end of the session of the migrator' },
  )
  expect(await migrator().exited).toBe(0)
  expect(await applied()).toBe(1)
  await owner.end({ timeout: 1 })
}, 60_000)

describe('migrate', () => {
  test('runs each migration once, also concurrently', async () => {
    const url = emptyDatabase()
    const lines: string[] = []
    const run = () => migrateTest(url, { log: (line) => lines.push(line) })
    await Promise.all([run(), run()])
    const wanted = (await Promise.all(SERVICES.map(migrationsOf))).flat()
    expect(lines).toHaveLength(wanted.length)
    await run()
    expect(lines).toHaveLength(wanted.length)
  })
})
