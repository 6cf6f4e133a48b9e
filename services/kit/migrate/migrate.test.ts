import { describe, expect, test } from 'bun:test'
import { connect } from '../db/client.ts'
import { testDatabase, testPasswords, testServerUrl, withDatabase } from '../testing/database.ts'
import { migrationsOf, SERVICES } from './files.ts'
import { migrate, requireSchema } from './migrate.ts'

/** An empty database of one's own, gone after the work. */
async function emptyDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = connect(testServerUrl(), { max: 1, applicationName: 'test' })
  const name = `empty_${crypto.randomUUID().replaceAll('-', '')}`
  await server`create database ${server(name)}`
  try {
    return await work(withDatabase(testServerUrl(), name))
  } finally {
    await server`drop database ${server(name)} with (force)`
    await server.end({ timeout: 1 })
  }
}

describe('migrating', () => {
  test('two migrators at once are safe: each migration runs once', async () => {
    await emptyDatabase(async (url) => {
      const lines: string[] = []
      const run = () => migrate({ url, passwords: testPasswords, log: (line) => lines.push(line) })
      await Promise.all([run(), run()])
      const wanted = (await Promise.all(SERVICES.map(migrationsOf))).flat()
      expect(lines).toHaveLength(wanted.length)
      await run()
      expect(lines).toHaveLength(wanted.length)
    })
  })
})

describe('a service at boot', () => {
  test('takes a schema that has every migration', async () => {
    const db = await testDatabase()
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await requireSchema(sql, 'identity')
    await sql.end({ timeout: 1 })
  })

  test('refuses a schema that is too old, and says what is missing', async () => {
    const db = await testDatabase()
    await db.owner`delete from identity.schema_migrations where name = '0002_sessions.sql'`
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await expect(requireSchema(sql, 'identity')).rejects.toThrow('0002_sessions.sql')
    await sql.end({ timeout: 1 })
  })
})

test('a migration that was changed after it ran is refused', async () => {
  const db = await testDatabase()
  await db.owner`update sourcing.schema_migrations set checksum = 'other' where name = '0001_parts.sql'`
  await expect(migrate({ url: db.ownerUrl, passwords: testPasswords })).rejects.toThrow('was changed after it had run')
})
