import { expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { awardParties } from '../../testing/awards.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await awardParties(market)
const { ipOwner, maker, rival, stranger } = parties

type List = { items: Part[]; hasMore: boolean }
const owner = ipOwner.administrator.client
const find = (client: ApiClient, query: string) => client.get<List>(`/flows/v1/parts?${query}`)
const found = async (client: ApiClient, query: string) => (await find(client, query)).body.items.map(({ id }) => id)
const serialOf = async (id: string) => (await owner.get<Part>(`/v1/parts/${id}`)).body.serialNumber

test('the serial number of a readable part finds it alone, in any case and either view', async () => {
  const id = parties.partId
  const serialNumber = await serialOf(id)
  // Its title would match as a text.
  await publishedPart(owner, { title: `Spare for ${serialNumber}` })
  for (const query of [serialNumber, serialNumber.toLowerCase()]) {
    expect(await found(owner, `view=IP_OWNER&q=${query}`)).toEqual([id])
    expect(await found(stranger.administrator.client, `q=${query}`)).toEqual([id])
  }
  const { body } = await owner.get<Part>(`/v1/parts/${id}`)
  expect((await find(owner, `q=${serialNumber}`)).body).toEqual({ items: [body], hasMore: false })
  expect((await find(owner, `q=${serialNumber}&page=2`)).body).toEqual({ items: [], hasMore: false })
  expect((await find(owner, `q=${serialNumber}&page=2&pageSize=1`)).body).toEqual({ items: [], hasMore: false })
})

test('the part of others that is a draft or internal is not found, as an unknown serial number is not', async () => {
  const draft = (await owner.post<{ id: string }>('/v1/parts', { title: 'Draft' })).body.id
  const internal = await publishedPart(owner, { internal: true })
  const unknown = await find(stranger.administrator.client, 'q=P-00000000')
  expect(unknown.body).toEqual({ items: [], hasMore: false })
  for (const id of [draft, internal]) {
    const serialNumber = await serialOf(id)
    expect((await find(stranger.administrator.client, `q=${serialNumber}`)).text).toBe(unknown.text)
    expect(await found(owner, `q=${serialNumber}`)).toEqual([id])
  }
})

test('an invited manufacturer and a party to the order find an internal part by its serial number', async () => {
  const partId = await publishedPart(owner, { internal: true })
  const serialNumber = await serialOf(partId)
  const asked = rfqBody(partId, { manufacturerIds: [maker.orgId] })
  const rfqId = (await rfqsOf(owner).create(asked)).body.id
  expect(await found(maker.administrator.client, `q=${serialNumber}`)).toEqual([])
  expect((await rfqsOf(owner).act(rfqId, 'publish')).status).toBe(200)
  expect(await found(maker.administrator.client, `q=${serialNumber}`)).toEqual([partId])
  expect(await found(rival.administrator.client, `q=${serialNumber}`)).toEqual([])
})

test('any other text searches title and reference as GET /v1/parts does', async () => {
  const id = await publishedPart(owner, { title: 'Gland packing, size P-12', externalRef: 'GP-12' })
  for (const text of ['gland%20packing', 'gp-12', 'P-12']) {
    const query = `view=IP_OWNER&q=${text}`
    expect(await found(owner, query)).toEqual([id])
    expect((await find(owner, query)).text).toBe((await owner.get(`/v1/parts?${query}`)).text)
  }
  expect((await find(owner, 'view=IP_OWNER')).text).toBe((await owner.get('/v1/parts?view=IP_OWNER')).text)
  expect((await find(owner, 'view=SELLER')).status).toBe(400)
})
