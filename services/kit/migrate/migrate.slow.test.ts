import { describe, expect, test } from 'bun:test'
import { SERVICES } from '../../../proto/services.ts'
import { testPasswords, testServerUrl, withDatabase } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { migrationsOf } from './files.ts'
import { migrate } from './migrate.ts'

/** Runs the work on a temporary empty database. */
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

describe('migrate', () => {
  test('runs each migration once, also concurrently', async () => {
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
