import { describe, expect, test } from 'bun:test'
import { migrateTest, testDatabase } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { requireSchema } from './migrate.ts'
import { serverProblem } from './server.ts'

describe('requireSchema', () => {
  test('accepts a schema with every migration', async () => {
    const db = await testDatabase()
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await requireSchema(sql, 'identity')
    await sql.end({ timeout: 1 })
  })

  test('refuses an outdated schema and names the missing migration', async () => {
    const db = await testDatabase()
    await db.owner`delete from identity.schema_migrations where name = '0003_sessions.sql'`
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await expect(requireSchema(sql, 'identity')).rejects.toThrow('0003_sessions.sql')
    await sql.end({ timeout: 1 })
  })
})

test('migrate refuses a migration that was changed after it was applied', async () => {
  const db = await testDatabase()
  await db.owner`update sourcing.schema_migrations set checksum = 'other' where name = '0001_parts.sql'`
  await expect(migrateTest(db.ownerUrl)).rejects.toThrow('was changed after it was applied')
})

test('a server older than 18 is refused with its version', () => {
  expect(serverProblem({ version: 170_006, folds: true, database: 'market' })).toBe(
    'Postgres is version 17; 18 or newer is needed.',
  )
  expect(serverProblem({ version: 180_000, folds: true, database: 'market' })).toBeUndefined()
})
