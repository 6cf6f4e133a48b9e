import { expect, test } from 'bun:test'
import { captureLog } from '../testing/captured-log.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { until } from '../testing/until.ts'

test.each([
  [
    'the primary itself',
    ({ urlOf }: TestDatabase) => urlOf('sourcing'),
    'Is the server of DATABASE_READ_URL a standby?',
  ],
  ['a server that does not answer', () => 'postgres://marketplace_sourcing@127.0.0.1:1/marketplace', 'ECONNREFUSED'],
])('a DATABASE_READ_URL of %s is warned of once, and the primary serves the reads', async (_, urlOf, reason) => {
  const [log, database] = [captureLog(), await testDatabase()]
  const overrides = { SOURCING_DATABASE_READ_URL: urlOf(database), LOG_LEVEL: 'warn' }
  const market = await marketplaceWithWorkers(['sourcing'], overrides, database, { logDestination: log.destination })
  const { client } = (await market.organization(['IP_OWNER'])).administrator
  const part = (await client.post<{ id: string }>('/v1/parts', { title: 'Impeller' })).body
  const warnings = () => log.texts.filter((text) => text.includes('the standby cannot serve them'))
  await until(async () => {
    const answer = await client.get<{ items: { id: string }[] }>('/v1/parts?view=IP_OWNER')
    expect([answer.status, answer.body.items.map(({ id }) => id)]).toEqual([200, [part.id]])
    return warnings().length > 0
  })
  for (let reads = 0; reads < 20; reads++) expect((await client.get(`/v1/parts/${part.id}`)).status).toBe(200)
  expect(warnings()).toHaveLength(1)
  expect(warnings()[0]).toContain(reason)
})
