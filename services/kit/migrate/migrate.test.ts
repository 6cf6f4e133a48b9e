import { describe, expect, test } from 'bun:test'
import { testDatabase, testPasswords } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { migrate, requireSchema } from './migrate.ts'

describe('a service at boot', () => {
  test('takes a schema that has every migration', async () => {
    const db = await testDatabase()
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await requireSchema(sql, 'identity')
    await sql.end({ timeout: 1 })
  })

  test('refuses a schema that is too old, and says what is missing', async () => {
    const db = await testDatabase()
    await db.owner`delete from identity.schema_migrations where name = '0003_sessions.sql'`
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    await expect(requireSchema(sql, 'identity')).rejects.toThrow('0003_sessions.sql')
    await sql.end({ timeout: 1 })
  })
})

test('a migration that was changed after it ran is refused', async () => {
  const db = await testDatabase()
  await db.owner`update sourcing.schema_migrations set checksum = 'other' where name = '0001_parts.sql'`
  await expect(migrate({ url: db.ownerUrl, passwords: testPasswords })).rejects.toThrow('was changed after it had run')
})
