import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, maker, rival, distributor, stranger, partId, open, offer } = await awardParties(market)
const buyer = consumer.administrator.client
const isRfq = TypeCompiler.Compile(Rfq)
const listOf = async (client: ApiClient, query = '') =>
  (await client.get<{ items: Rfq[]; hasMore: boolean }>(`/flows/v1/distributor/rfqs${query}`)).body
const mine = (query = '') => listOf(distributor.administrator.client, query)

test('a distributor reads the published RFQs of its consumers, newest first, and GET /v1/rfqs/{id} stays 404', async () => {
  const [first, second] = [await open(), await open()]
  const { items } = await mine('?pageSize=50')
  expect(items.slice(0, 2).map(({ id }) => id)).toEqual([second, first])
  expect(items.every((item) => isRfq.Check(item))).toBe(true)
  expect((await rfqsOf(distributor.administrator.client).read(first)).status).toBe(404)
  expect((await mine('?pageSize=1')).hasMore).toBe(true)
  expect((await mine('?page=2&pageSize=1')).items.map(({ id }) => id)).toEqual([first])
})

test('it reads no draft, no offer and no award', async () => {
  const draft = (await rfqsOf(buyer).create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body.id
  const rfqId = await open()
  const offerId = await offer(rfqId, maker)
  await awardsOf(buyer).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
  const { items } = await mine('?pageSize=50')
  expect(items.map(({ id }) => id)).not.toContain(draft)
  const awarded = items.find(({ id }) => id === rfqId)
  expect([awarded?.state, awarded?.awardedOfferIds, awarded?.unansweredQuestions]).toEqual(['AWARDED', [], undefined])
  expect(JSON.stringify(items)).not.toContain(offerId)
})

test('it reads none to which it is invited, none of other consumers, and nothing once the engagement has ended', async () => {
  const invited = await market.organization(['DISTRIBUTOR', 'MANUFACTURER'])
  const direct = await market.organization(['CONSUMER'])
  const body = rfqBody(partId, { manufacturerIds: [maker.orgId, rival.orgId] })
  const { id } = (await rfqsOf(direct.administrator.client).create(body)).body
  await rfqsOf(direct.administrator.client).act(id, 'publish')
  const ids = async ({ administrator }: typeof distributor) =>
    (await listOf(administrator.client, '?pageSize=50')).items.map((item) => item.id)
  expect(await ids(distributor)).not.toContain(id)
  const engage = (distributorOrgId: string | null) => market.db.owner`
    update organization.organizations set engagement = ${distributorOrgId ? 'DISTRIBUTOR' : 'DIRECT'},
      distributor_org_id = ${distributorOrgId} where id = ${direct.orgId}`
  await engage(invited.orgId)
  expect(await ids(invited)).toEqual([id])
  await market.db.owner`
    update sourcing.rfqs set manufacturer_ids = manufacturer_ids || ${invited.orgId}::text where id = ${id}`
  expect(await ids(invited)).toEqual([])
  await market.db.owner`
    update sourcing.rfqs set manufacturer_ids = array_remove(manufacturer_ids, ${invited.orgId}) where id = ${id}`
  await engage(null)
  expect(await ids(invited)).toEqual([])
})

test('it reads the outline of a confidential RFQ', async () => {
  const rfqId = await open({ requirements: 'Heat treated.' })
  await market.db.owner`
    update sourcing.rfqs set terms = sourcing.with_field(terms, 'confidentialityTerms', '"Keep it secret."')
    where id = ${rfqId}`
  const found = (await mine('?pageSize=50')).items.find(({ id }) => id === rfqId)
  expect([found?.quantities.length, found?.confidentialityTerms, found?.requirements]).toEqual([
    2,
    'Keep it secret.',
    undefined,
  ])
})

test('filters by consumer and state; a consumer of others lists nothing', async () => {
  const rfqId = await open()
  await rfqsOf(buyer).act(rfqId, 'close')
  expect((await mine(`?consumerOrgId=${consumer.orgId}&state=CLOSED`)).items.map(({ id }) => id)).toEqual([rfqId])
  expect((await mine(`?consumerOrgId=${stranger.orgId}`)).items).toEqual([])
})

test('needs app:distributor', async () => {
  const member = await distributor.member([])
  expect((await member.client.get('/flows/v1/distributor/rfqs')).status).toBe(403)
  expect((await buyer.get('/flows/v1/distributor/rfqs')).status).toBe(403)
})
