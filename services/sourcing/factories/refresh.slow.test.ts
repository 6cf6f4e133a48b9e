import { expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import { connect } from '../../kit/db/client.ts'
import { importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const organization = await market.organization(['MANUFACTURER'], { name: 'Old Name' })
const { client } = organization.administrator
const sql = connect(market.db.ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))
const read = async (id: string) => (await client.get<Factory>(`/v1/factories/${id}`)).body

// Any open write transaction on this server delays the event, also that of another test.
const WAIT = { withinMs: 60_000 }

test('a renamed organization has its new name in its factories, which q finds, and in no other ones', async () => {
  const operator = await market.operator()
  const other = await market.organization(['MANUFACTURER'], { name: 'Other' })
  const factory = await createFactory(client)
  const foreign = await createFactory(other.administrator.client)
  const path = `/flows/v1/orgs/${organization.orgId}`
  const renamed = await operator.administrator.client.send('PATCH', path, { body: { name: 'New Name' } })
  expect(renamed.status).toBe(200)
  const after = await until(async () => {
    const found = await read(factory.id)
    return found.orgName === 'New Name' && found
  }, WAIT)
  expect(after).toEqual({ ...factory, orgName: 'New Name' })
  const found = await client.get<{ items: Factory[] }>('/v1/factories?view=MANUFACTURER&q=new%20name')
  expect(found.body.items.map(({ id }) => id)).toEqual([factory.id])
  expect((await other.administrator.client.get<Factory>(`/v1/factories/${foreign.id}`)).body.orgName).toBe('Other')
}, 90_000)

test('after an import that changes the process type of a technology, capabilities have it', async () => {
  const factory = await createFactory(client, {
    capabilities: [
      { materialCode: '316l', technologyId: 'edm-w' },
      { materialCode: '316l', technologyId: 'mill-5' },
    ],
  })
  const technologies = (await shippedText('technologies')).replace(/^(edm-w,.*),cnc,/m, '$1,rapid_casting,')
  expect((await importTexts(sql, { technologies })).problems.count).toBe(0)
  const after = await until(async () => {
    const found = await read(factory.id)
    return found.capabilities[0]?.processType === 'rapid_casting' && found
  }, WAIT)
  expect(after.capabilities.map(({ processType }) => processType)).toEqual(['rapid_casting', 'cnc'])
  const listed = await client.get<{ items: Factory[] }>('/v1/factories?view=MANUFACTURER&processType=rapid_casting')
  expect(listed.body.items.map(({ id }) => id)).toEqual([factory.id])
  await restoreShipped(sql, 'technologies')
}, 90_000)

test.each([
  ['materials', '6061'],
  ['technologies', 'swiss'],
  ['standards', 'as9100'],
  ['criticalities', 'nasa-6030-a'],
] as const)('an import of %s cannot remove %s, to which a capability refers', async (catalog, id) => {
  const capability = {
    materialCode: '6061',
    technologyId: 'swiss',
    standardCodes: ['as9100'],
    criticalityIds: ['nasa-6030-a'],
  }
  const text = (await shippedText(catalog)).replace(new RegExp(`^${id},.*\n`, 'm'), '')
  // Processes also refer to technologies.
  const processes = (await shippedText('processes')).replaceAll(';swiss', '')
  const texts = catalog === 'technologies' ? { technologies: text, processes } : { [catalog]: text }
  const { id: factoryId } = await createFactory(client, { capabilities: [capability] })
  expect((await importTexts(sql, texts)).problems.count).toBeGreaterThan(0)
  await client.post(`/flows/v1/factories/${factoryId}/capabilities`, { capabilities: [] })
})
