import { describe, expect, test } from 'bun:test'
import { confidentialParties, TERMS } from '../../testing/confidentiality.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { packagesOf } from '../../testing/packages.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing', 'catalog'], RACING)
const { designer, buyer, owner, maker, rfqs, draft, open, offer, rival } = await confidentialParties(market)
const client = designer.administrator.client

const patchPart = (id: string, body: object) =>
  client.send<{ internal: boolean; errors?: unknown }>('PATCH', `/flows/v1/parts/${id}`, { body })
const requestFor = async (partId: string, more: object = {}) =>
  (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId, rival.orgId], ...more }))).body.id

describe('the publication of an RFQ with confidentiality terms', () => {
  test('needs an internal part: 409 names the field, and the part made internal is enough', async () => {
    const partId = await publishedPart(client)
    const id = await requestFor(partId, { confidentialityTerms: TERMS })
    const { status, body } = await rfqs.act(id, 'publish')
    expect([status, body.errors]).toEqual([409, [{ field: 'confidentialityTerms', message: 'needs an internal part' }]])
    expect((await patchPart(partId, { internal: true })).status).toBe(200)
    expect((await rfqs.act(id, 'publish')).status).toBe(200)
  })

  test('without terms needs none', async () => {
    const id = await requestFor(await publishedPart(client))
    expect((await rfqs.act(id, 'publish')).status).toBe(200)
  })

  test('with releaseFiles needs terms: 409 names the field', async () => {
    const id = await draft({ confidentialityTerms: undefined, releaseFiles: true })
    const { status, body } = await rfqs.act(id, 'publish')
    expect([status, body.errors]).toEqual([409, [{ field: 'releaseFiles', message: 'needs confidentialityTerms' }]])
  })

  test('with releaseFiles is refused to a consumer that is not the IP owner', async () => {
    const partId = await publishedPart(client)
    const requests = rfqsOf(buyer.administrator.client)
    const content = { manufacturerIds: [maker.orgId], confidentialityTerms: TERMS }
    const { body: made } = await requests.create(rfqBody(partId, content))
    // A draft that was created before its fields were checked.
    await market.db.owner`
      update sourcing.rfqs set terms = (terms::jsonb || '{"releaseFiles": true}')::json where id = ${made.id}`
    const { status, body } = await requests.act(made.id, 'publish')
    expect(status).toBe(409)
    expect(body.errors).toContainEqual({ field: 'releaseFiles', message: 'needs a part of your organization' })
  })

  test('with releaseFiles is already refused as a draft for the part of another organization: 400 names the field', async () => {
    const refused = { status: 400, errors: [{ field: 'releaseFiles', message: 'needs a part of your organization' }] }
    const [foreign, own] = [await publishedPart(client), await publishedPart(owner.administrator.client)]
    const requests = rfqsOf(owner.administrator.client)
    const create = (partId: string, releaseFiles: boolean) =>
      requests.create(rfqBody(partId, { confidentialityTerms: TERMS, releaseFiles }))
    const summary = ({ status, body }: Awaited<ReturnType<typeof create>>) => ({ status, errors: body.errors })
    expect(summary(await create(foreign, true))).toEqual(refused)
    const { id } = (await create(foreign, false)).body
    expect(summary(await requests.patch(id, { releaseFiles: true }))).toEqual(refused)
    expect(summary(await requests.patch(id, { partId: own, releaseFiles: true }))).toMatchObject({ status: 200 })
    expect(summary(await requests.patch(id, { partId: foreign }))).toEqual(refused)
    expect((await requests.patch(id, { requirements: 'Deburred.' })).status).toBe(200)
    expect((await requests.patch(id, { partId: foreign, releaseFiles: false })).status).toBe(200)
    expect((await create(own, true)).status).toBe(201)
  })

  test('of a package with releaseFiles is already refused as a draft for a part of another organization', async () => {
    const [foreign, own] = [await publishedPart(client), await publishedPart(owner.administrator.client)]
    const create = (...partIds: string[]) => {
      const lines = partIds.map((partId) => ({ partId, quantities: [10] }))
      const { partId: _, quantities: __, ...terms } = rfqBody('', { confidentialityTerms: TERMS, releaseFiles: true })
      return packagesOf(owner.administrator.client).create({ title: 'Overhaul', ...terms, lines })
    }
    const { status, body } = await create(own, foreign)
    expect([status, body.errors?.map(({ field }) => field)]).toEqual([400, ['releaseFiles']])
    expect((await create(own)).status).toBe(201)
  })

  test('an empty text is 400, and one of 10,001 characters too', async () => {
    for (const confidentialityTerms of ['', 'x'.repeat(10_001)]) {
      const partId = await publishedPart(client, { internal: true })
      const { status, body } = await rfqs.create(rfqBody(partId, { confidentialityTerms }))
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'confidentialityTerms'])
    }
  })
})

describe('a part with such an RFQ', () => {
  test('stays internal while the RFQ is OPEN or CLOSED: 409 names the field, and other changes are made', async () => {
    const partId = await publishedPart(client, { internal: true })
    const id = await requestFor(partId, { confidentialityTerms: TERMS })
    expect((await patchPart(partId, { internal: false })).status).toBe(200)
    expect((await patchPart(partId, { internal: true })).status).toBe(200)
    await rfqs.act(id, 'publish')
    for (const verb of [undefined, 'close'] as const) {
      if (verb) expect((await rfqs.act(id, verb)).status).toBe(200)
      const { status, body } = await patchPart(partId, { internal: false, title: 'Other' })
      expect([status, body.errors]).toEqual([
        409,
        [{ field: 'internal', message: 'must stay true until the RFQs with confidentiality terms have ended' }],
      ])
    }
    expect((await patchPart(partId, { title: 'Impeller II' })).status).toBe(200)
    expect((await rfqs.act(id, 'cancel', { reason: 'Sold.' })).status).toBe(200)
    const { status, body } = await patchPart(partId, { internal: false })
    expect([status, body.internal]).toEqual([200, false])
  })

  test('need not stay internal once the RFQ is AWARDED, or for an RFQ without terms', async () => {
    const partId = await publishedPart(client, { internal: true })
    const id = await requestFor(partId, { confidentialityTerms: TERMS })
    await rfqs.act(id, 'publish')
    await rfqsOf(maker.administrator.client).act(id, 'accept-terms')
    const offerId = await offer(id, maker)
    expect((await rfqs.act(id, 'award', { awards: [{ offerId, quantity: 10 }] })).status).toBe(200)
    await rfqs.act(await requestFor(partId), 'publish')
    expect((await patchPart(partId, { internal: false })).status).toBe(200)
  })

  test('of a publication and a change to public at the same time one is 409', async () => {
    for (let round = 0; round < 5; round++) {
      const partId = await publishedPart(client, { internal: true })
      const id = await requestFor(partId, { confidentialityTerms: TERMS })
      const answers = await Promise.all([rfqs.act(id, 'publish'), patchPart(partId, { internal: false })])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    }
  })
})

test('the terms of a published RFQ cannot be changed', async () => {
  const id = await open()
  expect((await rfqs.patch(id, { confidentialityTerms: 'Other terms.' })).status).toBe(409)
  expect((await rfqs.act(id, 'amend', { confidentialityTerms: 'Other terms.', reason: 'x' })).status).toBe(400)
  expect((await rfqs.read(id)).body.confidentialityTerms).toBe(TERMS)
})
