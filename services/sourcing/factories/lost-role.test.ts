import { expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import { awardsOf } from '../../testing/awards.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory, PRINTS_STEEL } from '../../testing/factories.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { insertOrder } from '../../testing/orders.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const [operator, maker, consumer, distributor, ipOwner] = await Promise.all([
  market.operator(),
  market.organization(['MANUFACTURER', 'SELLER']),
  market.organization(['CONSUMER']),
  market.organization(['DISTRIBUTOR']),
  market.organization(['IP_OWNER']),
])
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const factory = await createFactory(maker.administrator.client, { name: 'Ystad Print', capabilities: [PRINTS_STEEL] })
const partId = await publishedPart(ipOwner.administrator.client, { materialId: '316l', materialType: 'metal' })
const releaseTo = (orgId: string) =>
  distributor.administrator.client.post(`/flows/v1/factories/${factory.id}/release`, { orgId })
await releaseTo(engaged.orgId)
const [buyer, seller] = [rfqsOf(consumer.administrator.client), offersOf(maker.administrator.client)]

const { id: rfqId } = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
await buyer.act(rfqId, 'publish')
const submitted = (await seller.create(offerBody(rfqId, factory.id))).body.id
await seller.act(submitted, 'submit')
const drafted = (await seller.create(offerBody(rfqId, factory.id))).body.id
await insertOrder(market.db.owner, {
  consumerOrgId: ipOwner.orgId,
  ipOwnerOrgId: ipOwner.orgId,
  manufacturerOrgId: maker.orgId,
  sellerOrgId: maker.orgId,
  partId,
  factoryId: factory.id,
})

/** Whether each request of others has the factory. */
async function foundBy(): Promise<Record<string, boolean>> {
  const has = async ({ administrator }: { administrator: { client: ApiClient } }, path: string) => {
    const { status, text } = await administrator.client.get(path)
    return status === 200 && text.includes(factory.id)
  }
  const batch = await consumer.administrator.client.post('/v1/factories:batch-get', { ids: [factory.id] })
  return {
    list: await has(consumer, '/v1/factories?view=CONSUMER&pageSize=50'),
    search: await has(consumer, '/v1/factories?view=CONSUMER&q=ystad'),
    byMaterial: await has(consumer, '/v1/factories?view=CONSUMER&materialCode=316l'),
    byPart: await has(consumer, `/v1/factories?view=CONSUMER&partId=${partId}`),
    byOrganization: await has(consumer, `/v1/factories?view=CONSUMER&orgId=${maker.orgId}`),
    released: await has(engaged, '/v1/factories?view=CONSUMER'),
    get: await has(consumer, `/v1/factories/${factory.id}`),
    getReleased: await has(engaged, `/v1/factories/${factory.id}`),
    getByDistributor: await has(distributor, `/v1/factories/${factory.id}`),
    releases: await has(distributor, '/flows/v1/factory-releases?q=ystad'),
    batch: batch.text.includes(factory.id),
    matches: await has(consumer, `/flows/v1/rfqs/${rfqId}/matches`),
  }
}
const all = (value: boolean, found: Record<string, boolean>) =>
  Object.fromEntries(Object.keys(found).map((name) => [name, value]))

async function give(roles: OrgRole[], active: boolean): Promise<void> {
  const path = `/flows/v1/orgs/${maker.orgId}`
  expect((await operator.administrator.client.send('PATCH', path, { body: { roles } })).status).toBe(200)
  await until(async () => (await ofOrder()).body.active === active, { what: 'the factory with the new role' })
}
/** As a party to an order of the factory reads it. */
const ofOrder = () => ipOwner.administrator.client.get<Factory>(`/v1/factories/${factory.id}`)

test('the factories of an organization that lost MANUFACTURER are inactive for all others, and active again with it', async () => {
  const before = await foundBy()
  expect(before).toEqual(all(true, before))

  await give(['SELLER'], false)
  const without = await foundBy()
  expect(without).toEqual(all(false, without))
  expect((await releaseTo(engaged.orgId)).status).toBe(404)
  const own = await maker.administrator.client.get<Factory>(`/v1/factories/${factory.id}`)
  expect([own.status, own.body.active]).toEqual([200, false])

  const refused = { field: 'factoryId', message: 'must be active' }
  const submission = await seller.act(drafted, 'submit')
  expect([submission.status, submission.body.errors]).toEqual([409, [refused]])
  const award = await awardsOf(consumer.administrator.client).accept(submitted, { quantity: 10 })
  expect([award.status, award.body.errors]).toEqual([
    409,
    [{ field: 'id', message: 'is of a factory that is no longer active' }],
  ])
  const invitation = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
  expect([invitation.status, invitation.body.errors?.[0]?.field]).toEqual([400, 'manufacturerIds.0'])

  await give(['MANUFACTURER', 'SELLER'], true)
  const again = await foundBy()
  expect(again).toEqual(all(true, again))
  expect((await ofOrder()).body).toEqual(factory)
  expect((await seller.act(drafted, 'submit')).status).toBe(200)
  expect((await awardsOf(consumer.administrator.client).accept(submitted, { quantity: 10 })).status).toBe(200)
}, 90_000)

test('a factory that its organization deactivated stays inactive when the organization regains the role', async () => {
  const closed = await createFactory(maker.administrator.client)
  await maker.administrator.client.post(`/flows/v1/factories/${closed.id}/deactivate`)
  await give(['SELLER'], false)
  await give(['MANUFACTURER', 'SELLER'], true)
  expect((await consumer.administrator.client.get(`/v1/factories/${closed.id}`)).status).toBe(404)
  expect((await maker.administrator.client.get<Factory>(`/v1/factories/${closed.id}`)).body.active).toBe(false)
}, 90_000)
