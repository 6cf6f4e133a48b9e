import { expect, test } from 'bun:test'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const [distributor, ipOwner, maker, rival] = await Promise.all([
  market.organization(['DISTRIBUTOR']),
  market.organization(['IP_OWNER']),
  market.organization(['MANUFACTURER']),
  market.organization(['MANUFACTURER']),
])
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const buyer = rfqsOf(engaged.administrator.client)
const partId = await publishedPart(ipOwner.administrator.client)
const factory = await createFactory(maker.administrator.client)
await createFactory(rival.administrator.client)

const act = (verb: 'release' | 'withdraw') =>
  distributor.administrator.client.post(`/flows/v1/factories/${factory.id}/${verb}`, { orgId: engaged.orgId })
const create = (manufacturerIds: string[]) => buyer.create(rfqBody(partId, { manufacturerIds }))

test('a consumer engaged through a distributor invites only organizations with a factory released to it', async () => {
  expect((await create([maker.orgId])).body.errors?.map(({ field }) => field)).toEqual(['manufacturerIds.0'])
  expect((await act('release')).status).toBe(200)
  const { status, body } = await create([maker.orgId])
  expect(status).toBe(201)
  expect((await create([maker.orgId, rival.orgId])).body.errors?.map(({ field }) => field)).toEqual([
    'manufacturerIds.1',
  ])
  expect((await buyer.act(body.id, 'publish')).status).toBe(200)
  expect((await buyer.act(body.id, 'invite', { manufacturerIds: [rival.orgId] })).status).toBe(400)
})

test('publish after the release was withdrawn is 409 and names the manufacturer', async () => {
  const { body } = await create([maker.orgId])
  expect((await act('withdraw')).status).toBe(200)
  const answer = await buyer.act(body.id, 'publish')
  expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([409, 'manufacturerIds.0'])
  expect((await buyer.read(body.id)).body.state).toBe('DRAFT')
})

test('a directly engaged consumer invites manufacturers without a factory', async () => {
  const direct = await market.organization(['CONSUMER'])
  const bare = await market.organization(['MANUFACTURER'])
  const { status } = await rfqsOf(direct.administrator.client).create(
    rfqBody(partId, { manufacturerIds: [bare.orgId] }),
  )
  expect(status).toBe(201)
})
