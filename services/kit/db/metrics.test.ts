import { expect, test } from 'bun:test'
import { Registry } from 'prom-client'
import { testDatabase } from '../../testing/database.ts'
import { freePort } from '../../testing/free-port.ts'
import { connect } from './client.ts'
import { poolMetrics } from './metrics.ts'

const db = await testDatabase()

async function scrape(url: string, isLeader: boolean): Promise<string[]> {
  const registry = new Registry()
  const sql = connect(url, { max: 2, applicationName: 'test-metrics' })
  poolMetrics(registry, { sql, size: 2, isLeader: () => isLeader })
  const text = await registry.metrics()
  await sql.end({ timeout: 1 })
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('one replica measures what all share', async () => {
  const lines = await scrape(db.urlOf('catalog'), true)
  expect(lines).toContain('marketplace_database_up 1')
  expect(lines).toContainEqual(expect.stringMatching(/^marketplace_database_connections\{state="active"\} [1-9]/))
  expect(lines).toContainEqual(expect.stringMatching(/^marketplace_database_server_connections [1-9]/))
  expect(lines).toContainEqual(expect.stringMatching(/^marketplace_database_server_connections_limit 497$/))
})

test('the other replicas report their own state alone', async () => {
  expect(await scrape(db.urlOf('catalog'), false)).toEqual([
    'marketplace_database_pool_size 2',
    'marketplace_database_up 1',
  ])
})

test('without Postgres the state is 0, and what it would answer is absent', async () => {
  const away = new URL(db.ownerUrl)
  away.port = String(freePort())
  expect(await scrape(away.href, true)).toEqual(['marketplace_database_pool_size 2', 'marketplace_database_up 0'])
})
