import { describe, expect, test } from 'bun:test'
import type { FactoryMatch } from '../../../proto/http/sourcing/matches.ts'
import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory } from '../../testing/factories.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { insertModel } from '../../testing/previews.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const [distributor, consumer, ipOwner, maker, invitee] = await Promise.all([
  market.organization(['DISTRIBUTOR']),
  market.organization(['CONSUMER']),
  market.organization(['IP_OWNER']),
  market.organization(['MANUFACTURER']),
  market.organization(['MANUFACTURER']),
])
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const buyer = consumer.administrator.client
const engagedBuyer = engaged.administrator.client
const manufacturer = maker.administrator.client
const owner = ipOwner.administrator.client

const printer = await createFactory(manufacturer, {
  name: 'A print shop',
  capabilities: [
    { materialCode: 'in718', technologyId: 'ded-lb' },
    {
      materialCode: '316l',
      technologyId: 'pbf-lb-m',
      standardCodes: ['iso-astm-52901'],
      criticalityIds: ['api-20s-amsl-2'],
      maxEnvelope: { x: 400, y: 400, z: 380 },
    },
  ],
})
const smallPrinter = await createFactory(manufacturer, {
  name: 'B print shop',
  address: { regionCode: 'DK', locality: 'Esbjerg', lines: [] },
  capabilities: [{ materialCode: '316l', technologyId: 'pbf-eb-m', maxEnvelope: { x: 100, y: 100, z: 100 } }],
})
await createFactory(manufacturer, {
  name: 'C mill',
  capabilities: [
    { materialCode: '316l', technologyId: 'mill-5' },
    { materialCode: 'in718', technologyId: 'pbf-lb-m' },
  ],
})
const turner = await createFactory(manufacturer, {
  name: 'D turner',
  capabilities: [{ materialCode: '316l', technologyId: 'turn' }],
})
await createFactory(manufacturer, { name: 'E laboratory', internal: true })
const closed = await createFactory(manufacturer, { name: 'F old hall' })
await manufacturer.post(`/flows/v1/factories/${closed.id}/deactivate`)
for (const { id } of [smallPrinter, turner]) {
  await distributor.administrator.client.post(`/flows/v1/factories/${id}/release`, { orgId: engaged.orgId })
}

const IMPELLER: PartInput = {
  materialId: '316l',
  processId: 'pbf-metal',
  standardIds: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  unitSystem: 'IMPERIAL',
  boundingBox: { x: 4.5, y: 4, z: 1.5 },
}

async function draft(by: ApiClient, partId: string): Promise<string> {
  const { status, body, text } = await rfqsOf(by).create(rfqBody(partId))
  if (status !== 201) throw new Error(`an RFQ could not be created: ${text}`)
  return body.id
}

const read = (by: ApiClient, id: string, query = '') =>
  by.get<Page<FactoryMatch> & Problem>(`/flows/v1/rfqs/${id}/matches${query}`)

async function matches(by: ApiClient, id: string): Promise<FactoryMatch[]> {
  const { status, body, text } = await read(by, id)
  expect([status, text]).toEqual([200, text])
  return body.items
}

const namesOf = (items: FactoryMatch[]) => items.map(({ factory }) => factory.name)

/** Each requirement with the technology of its capability, or with the reason why it is not met. */
const explained = (items: FactoryMatch[], name: string) =>
  Object.fromEntries(
    items
      .find(({ factory }) => factory.name === name)
      ?.requirements.map(({ requirement, met, capability, reason }) => [
        requirement,
        met ? (capability?.technologyId ?? true) : reason,
      ]) ?? [],
  )

const impeller = await publishedPart(owner, IMPELLER)

describe('GET /flows/v1/rfqs/{id}/matches', () => {
  test('lists the factories with a capability in the material and one in a technology, each with all requirements', async () => {
    const items = await matches(buyer, await draft(buyer, impeller))
    expect(namesOf(items)).toEqual(['A print shop', 'B print shop', 'C mill'])
    expect(items[0]?.factory).toEqual(printer)
    expect(explained(items, 'A print shop')).toEqual({
      material: 'pbf-lb-m',
      technology: 'pbf-lb-m',
      standards: 'pbf-lb-m',
      criticalities: 'pbf-lb-m',
      envelope: 'pbf-lb-m',
    })
    expect(explained(items, 'B print shop')).toEqual({
      material: 'pbf-eb-m',
      technology: 'pbf-eb-m',
      standards: 'pbf-eb-m of 316l lacks iso-astm-52901',
      criticalities: 'pbf-eb-m of 316l lacks api-20s-amsl-2',
      // 4.5 inches are 114.3 mm.
      envelope: 'pbf-eb-m of 316l is too small along x, y',
    })
  })

  test('with a text it lists the factories of that name with what they miss, and only those to source from', async () => {
    const id = await draft(buyer, impeller)
    const named = async (by: ApiClient, rfqId: string, q: string) => (await read(by, rfqId, `?q=${q}`)).body.items
    const items = await named(buyer, id, 'TURNER')
    expect(namesOf(items)).toEqual(['D turner'])
    const { material, technology } = explained(items, 'D turner')
    expect([material, technology]).toEqual(['turn', expect.stringMatching(/^no capability uses .*pbf-lb-m/)])
    expect(namesOf(await named(buyer, id, 'A print'))).toEqual(['A print shop'])
    expect(namesOf(await named(buyer, id, 'no such name'))).toEqual([])
    expect(namesOf(await named(engagedBuyer, await draft(engagedBuyer, impeller), 'print'))).toEqual(['B print shop'])
    expect((await read(buyer, id, '?q=a&q=b')).status).toBe(400)
  })

  test('material and technology may come from different capabilities, each named', async () => {
    const items = await matches(buyer, await draft(buyer, impeller))
    const { material, technology } = explained(items, 'C mill')
    expect([material, technology]).toEqual(['mill-5', 'pbf-lb-m'])
  })

  test('a consumer of a distributor gets only factories released to it, and the release as a requirement', async () => {
    const items = await matches(engagedBuyer, await draft(engagedBuyer, impeller))
    expect(namesOf(items)).toEqual(['B print shop'])
    expect(explained(items, 'B print shop').released).toBe(true)
  })

  test('a part without technology, standards, criticalities and box has only the material: the country of delivery is no requirement', async () => {
    const items = await matches(buyer, await draft(buyer, await publishedPart(owner, { materialId: '316l' })))
    expect(namesOf(items)).toEqual(['A print shop', 'B print shop', 'C mill', 'D turner'])
    expect(explained(items, 'D turner')).toEqual({ material: 'turn' })
  })

  test('the pages continue one another', async () => {
    const id = await draft(buyer, impeller)
    const pages = []
    for (const page of [1, 2, 3]) pages.push((await read(buyer, id, `?pageSize=1&page=${page}`)).body)
    expect(pages.flatMap(({ items }) => namesOf(items))).toEqual(['A print shop', 'B print shop', 'C mill'])
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false])
  })

  test('a published, a closed and a cancelled RFQ have matches too', async () => {
    const { body } = await rfqsOf(buyer).create(rfqBody(impeller, { manufacturerIds: [maker.orgId] }))
    for (const [verb, sent] of [['publish'], ['close'], ['cancel', { reason: 'x' }]] as const) {
      expect((await rfqsOf(buyer).act(body.id, verb, sent)).status).toBe(200)
      expect(await matches(buyer, body.id)).toHaveLength(3)
    }
  })

  test('those of a published RFQ are for the content and the model that it pins, until an amendment', async () => {
    const partId = await publishedPart(owner, { ...IMPELLER, boundingBox: {} })
    const files = new FileClient(market, owner)
    const model = await files.addFile(partId, 'first', 'document', 'first.step')
    await insertModel(market, model.id, [90, 80, 70])
    const { body } = await rfqsOf(buyer).create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
    expect((await rfqsOf(buyer).act(body.id, 'publish')).status).toBe(200)
    const before = await matches(buyer, body.id)
    expect(namesOf(before)).toEqual(['A print shop', 'B print shop', 'C mill'])
    expect(explained(before, 'B print shop').envelope).toBe('pbf-eb-m')

    const later = await files.addFile(partId, 'second', 'document', 'second.step')
    await insertModel(market, later.id, [390, 80, 70])
    await owner.send('PATCH', `/flows/v1/parts/${partId}`, { body: { materialId: 'in718' } })
    expect(await matches(buyer, body.id)).toEqual(before)
    const amendment = { partRevision: 'CURRENT', reason: 'A larger part of another material.' }
    expect((await rfqsOf(buyer).act(body.id, 'amend', amendment)).status).toBe(200)
    expect(namesOf(await matches(buyer, body.id))).toEqual(['A print shop', 'C mill'])
  })

  test('a part that the consumer can no longer read has no matches', async () => {
    const partId = await publishedPart(owner, IMPELLER)
    const id = await draft(buyer, partId)
    expect(await matches(buyer, id)).toHaveLength(3)
    await owner.post(`/flows/v1/parts/${partId}/archive`)
    expect(await matches(buyer, id)).toEqual([])
  })

  test('the IP owner, an invited manufacturer, the distributor and an unknown id get the same 404', async () => {
    const { body } = await rfqsOf(buyer).create(
      rfqBody(impeller, { manufacturerIds: [invitee.orgId], expireTime: inHours(1) }),
    )
    expect((await rfqsOf(buyer).act(body.id, 'publish')).status).toBe(200)
    const both = await market.organization(['CONSUMER', 'MANUFACTURER'])
    await rfqsOf(buyer).act(body.id, 'invite', { manufacturerIds: [both.orgId] })
    const answers = [
      await read(both.administrator.client, body.id),
      await read(both.administrator.client, 'rfq_00000000000000000000000000'),
      await read(engagedBuyer, body.id),
    ]
    expect(answers.map(({ status, body: { code, detail } }) => [status, code, detail])).toEqual(
      answers.map(() => [404, 'not_found', answers[0]?.body.detail ?? '']),
    )
    for (const org of [ipOwner, invitee, distributor]) {
      // Without the permission app:consumer the answer does not depend on the id.
      expect((await read(org.administrator.client, body.id)).status).toBe(403)
    }
  })

  test('a member of the consumer without app:consumer is 403', async () => {
    const viewer = await consumer.member('Viewer')
    const { status, body } = await read(viewer.client, await draft(buyer, impeller))
    expect([status, body.detail]).toEqual([403, 'This needs the permission app:consumer.'])
  })
})

describe('the factories that qualify, in order of their names', () => {
  // Material and technology may be of different capabilities.
  const QUALIFIED: [PartInput, string[], string[]][] = [
    [IMPELLER, ['A print shop', 'B print shop', 'C mill'], ['B print shop']],
    [{ materialId: 'in718', processId: 'pbf-metal' }, ['A print shop', 'C mill'], []],
    [{ materialId: 'in718' }, ['A print shop', 'C mill'], []],
    [{ materialId: '316l', processId: 'turning-metal' }, ['D turner'], ['D turner']],
    [{ materialType: 'metal' }, ['A print shop', 'B print shop', 'C mill', 'D turner'], ['B print shop', 'D turner']],
    [{ materialType: 'polymer' }, [], []],
    [{ title: 'without material' }, [], []],
  ]

  test.each(QUALIFIED)('for %j', async (part, ofAll, ofReleased) => {
    const partId = (await owner.post<{ id: string }>('/v1/parts', { title: 'Part', ...part })).body.id
    await market.db.owner`update sourcing.parts set state = 'PUBLISHED', published_at = now() where id = ${partId}`
    expect(namesOf(await matches(buyer, await draft(buyer, partId)))).toEqual(ofAll)
    expect(namesOf(await matches(engagedBuyer, await draft(engagedBuyer, partId)))).toEqual(ofReleased)
  })
})
