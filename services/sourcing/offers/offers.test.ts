import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Offer } from '../../../proto/http/sourcing/offers.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { euros, offerBody, offerParties, offersOf } from '../../testing/offers.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, partId, buyer, open, draft: draftRfq } = parties
const { factory, rivalFactory, seller, draftOffer, submittedOffer } = parties
const isOffer = TypeCompiler.Compile(Offer)
const competitor = offersOf(rival.administrator.client)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const create = async (more: object = {}) => seller.create(offerBody(await open(), factory.id, more))

describe('POST /flows/v1/offers', () => {
  test('creates a DRAFT with amounts in canonical form and price breaks in ascending order', async () => {
    const rfqId = await open()
    const answer = await seller.create(
      offerBody(rfqId, factory.id, {
        priceBreaks: [
          { minQuantity: 50, unitPrice: euros('80.1250'), leadTimeDays: 35 },
          { minQuantity: 5, unitPrice: euros('99'), leadTimeDays: 0 },
        ],
        toolingCost: euros('0'),
        shippingCost: euros('999999999999.9999'),
        validUntil: '2040-05-29T12:00:00+02:00',
        notes: 'Heat treatment is included.',
      }),
    )
    expect(answer.status).toBe(201)
    const { id, createdTime, ...rest } = answer.body
    expect(rest as object).toEqual({
      rfqId,
      partId,
      manufacturerOrgId: maker.orgId,
      factoryId: factory.id,
      state: 'DRAFT',
      priceBreaks: [
        { minQuantity: 5, unitPrice: euros('99.00'), leadTimeDays: 0 },
        { minQuantity: 50, unitPrice: euros('80.125'), leadTimeDays: 35 },
      ],
      toolingCost: euros('0.00'),
      shippingCost: euros('999999999999.9999'),
      validUntil: '2040-05-29T10:00:00.000Z',
      revision: 1,
      notes: 'Heat treatment is included.',
    })
    expect(isOffer.Check(answer.body)).toBe(true)
    expect((await seller.read(id)).text).toBe(answer.text)
  })

  test('a minimal offer omits costs and notes', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    for (const field of ['toolingCost', 'shippingCost', 'notes', 'submittedTime'])
      expect(body).not.toHaveProperty(field)
  })

  const line = (more: object) => ({ minQuantity: 1, unitPrice: euros('1'), leadTimeDays: 1, ...more })

  test.each([
    ['priceBreaks', { priceBreaks: [] }],
    ['priceBreaks.0.minQuantity', { priceBreaks: [line({ minQuantity: 0 })] }],
    ['priceBreaks.1.minQuantity', { priceBreaks: [line({}), line({ unitPrice: euros('2') })] }],
    ['priceBreaks.0.leadTimeDays', { priceBreaks: [line({ leadTimeDays: -1 })] }],
    ['priceBreaks.0.unitPrice.amount', { priceBreaks: [line({ unitPrice: euros('-1') })] }],
    ['priceBreaks.0.unitPrice.amount', { priceBreaks: [line({ unitPrice: euros('1e3') })] }],
    ['priceBreaks.0.unitPrice.amount', { priceBreaks: [line({ unitPrice: euros('1.00001') })] }],
    ['priceBreaks.0.unitPrice.amount', { priceBreaks: [line({ unitPrice: euros('1000000000000') })] }],
    ['priceBreaks.0.unitPrice.amount', { priceBreaks: [line({ unitPrice: { amount: 1, currency: 'EUR' } })] }],
    ['priceBreaks.0.unitPrice.currency', { priceBreaks: [line({ unitPrice: { amount: '1', currency: 'DEM' } })] }],
    ['priceBreaks.0.unitPrice.currency', { priceBreaks: [line({ unitPrice: { amount: '1', currency: 'NOK' } })] }],
    ['toolingCost.currency', { toolingCost: { amount: '1', currency: 'NOK' } }],
    ['shippingCost.currency', { shippingCost: { amount: '1', currency: 'NOK' } }],
    ['validUntil', { validUntil: '9999-12-31T23:59:59-12:00' }],
    ['validUntil', { validUntil: '2040-02-30T00:00:00Z' }],
    ['factoryId', { factoryId: 'factory_unknown' }],
    ['factoryId', { factoryId: rivalFactory.id }],
    ['rfqId', { rfqId: 'rfq_unknown' }],
    ['state', { state: 'SUBMITTED' }],
    ['revision', { revision: 2 }],
  ])('a bad %s is 400', async (field, more) => {
    const answer = await create(more)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test("another organization's RFQ and factory are refused like unknown ones", async () => {
    const bare = (text: string) => text.replace(/"requestId":"[^"]*"/, '').replaceAll(/`\w+`/g, '')
    const rfqId = await open()
    const foreign = await competitor.create(offerBody(rfqId, rivalFactory.id))
    const unknown = await competitor.create(offerBody('rfq_unknown', rivalFactory.id))
    expect([foreign.status, bare(foreign.text)]).toEqual([400, bare(unknown.text)])
    const [theirs, none] = [rivalFactory.id, 'factory_unknown'].map((id) => seller.create(offerBody(rfqId, id)))
    expect(bare((await theirs)?.text ?? '')).toBe(bare((await none)?.text ?? ''))
  })

  test('for a draft RFQ, for which its manufacturer has no invitation yet, it is 400', async () => {
    const answer = await seller.create(offerBody(await draftRfq(), factory.id))
    expect([answer.status, fields(answer)]).toEqual([400, ['rfqId']])
  })

  test('for an RFQ that is no longer OPEN it is 409', async () => {
    const rfqId = await open()
    await buyer.act(rfqId, 'close')
    const answer = await seller.create(offerBody(rfqId, factory.id))
    expect([answer.status, answer.body.code, fields(answer)]).toEqual([409, 'illegal_transition', ['rfqId']])
  })

  test('the same Idempotency-Key returns the first offer', async () => {
    const [body, key] = [offerBody(await open(), factory.id), { 'idempotency-key': crypto.randomUUID() }]
    const answers = [await seller.create(body, key), await seller.create(body, key)]
    expect(answers[1]?.text).toBe(answers[0]?.text ?? '')
    expect((await seller.create({ ...body, notes: 'Other.' }, key)).status).toBe(409)
  })

  test('the 21st offer in DRAFT or SUBMITTED for an RFQ is 409, also of concurrent requests', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
    await submittedOffer({}, rfqId)
    const answers = await Promise.all(Array.from({ length: 25 }, () => seller.create(offerBody(rfqId, factory.id))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19)
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['201 undefined', '409 limit_reached']),
    )
    expect((await competitor.create(offerBody(rfqId, rivalFactory.id))).status).toBe(201)
  })
})

describe('PATCH /flows/v1/offers/{id}', () => {
  test('changes sent fields, clears null fields and keeps the others', async () => {
    const id = await draftOffer({ toolingCost: euros('10'), shippingCost: euros('5'), notes: 'Old.' })
    const other = await createFactory(maker.administrator.client, { name: 'Stord Works' })
    const patch = { factoryId: other.id, toolingCost: null, notes: null, validUntil: '2041-01-01T00:00:00Z' }
    const answer = await seller.patch(id, patch)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      factoryId: other.id,
      shippingCost: euros('5.00'),
      validUntil: '2041-01-01T00:00:00.000Z',
    })
    expect(answer.body.priceBreaks).toHaveLength(2)
    for (const field of ['toolingCost', 'notes']) expect(answer.body).not.toHaveProperty(field)
    expect((await seller.read(id)).text).toBe(answer.text)
  })

  test('a patch without a change returns the same JSON and emits no event', async () => {
    const id = await draftOffer()
    const before = await seller.read(id)
    const [first] = before.body.priceBreaks ?? []
    expect((await seller.patch(id, { priceBreaks: before.body.priceBreaks })).text).toBe(before.text)
    expect(first?.unitPrice).toEqual(euros('120.00'))
    const events = await market.db.owner`
      select type from sourcing.outbox where subject = ${id} and type = 'sourcing.offer.updated'`
    expect(events).toHaveLength(0)
  })

  test.each([
    ['priceBreaks', { priceBreaks: null }],
    ['validUntil', { validUntil: null }],
    ['factoryId', { factoryId: rivalFactory.id }],
    ['toolingCost.currency', { toolingCost: { amount: '1', currency: 'NOK' } }],
    ['rfqId', { rfqId: 'rfq_1' }],
    ['state', { state: 'SUBMITTED' }],
  ])('a bad %s is 400 and changes nothing', async (field, body) => {
    const id = await draftOffer()
    const before = await seller.read(id)
    const answer = await seller.patch(id, body)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
    expect((await seller.read(id)).text).toBe(before.text)
  })

  test('a current If-Match is 200, an outdated one 412', async () => {
    const id = await draftOffer()
    const tag = (await seller.read(id)).headers.get('etag') ?? ''
    const first = await seller.patch(id, { notes: '1' }, { 'if-match': tag })
    const second = await seller.patch(id, { notes: '2' }, { 'if-match': tag })
    expect([first.status, second.status]).toEqual([200, 412])
    expect(first.headers.get('etag')).toBe((await seller.read(id)).headers.get('etag') ?? '')
  })

  test('the content of a submitted offer is fixed: 409', async () => {
    const answer = await seller.patch(await submittedOffer(), { notes: 'New.' })
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
  })
})

describe('who reads an offer (GET /v1/offers/{id})', () => {
  const readers = (id: string) =>
    Promise.all(
      [maker, consumer, ipOwner, rival, stranger].map(
        async ({ administrator }) => (await offersOf(administrator.client).read(id)).status,
      ),
    )

  test('a draft is readable only by its manufacturer', async () => {
    expect(await readers(await draftOffer())).toEqual([200, 404, 404, 404, 404])
  })

  test('a submitted one also by consumer and IP owner; a competitor invited to the RFQ gets 404', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
    const id = await submittedOffer({}, rfqId)
    expect(await readers(id)).toEqual([200, 200, 200, 404, 404])
    const seen = await Promise.all([maker, consumer, ipOwner].map((org) => offersOf(org.administrator.client).read(id)))
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1)
    expect(isOffer.Check(seen[0]?.body)).toBe(true)
  })

  test('404 of a competitor equals that of an unknown id', async () => {
    const bare = (text: string) => text.replace(/"(requestId|instance)":"[^"]*"/g, '')
    const id = await submittedOffer()
    expect(bare((await competitor.read(id)).text)).toBe(bare((await competitor.read('offer_unknown')).text))
  })

  test('If-None-Match of the current tag is 304', async () => {
    const id = await submittedOffer()
    const tag = (await seller.read(id)).headers.get('etag') ?? ''
    const path = `/v1/offers/${id}`
    const answer = await maker.administrator.client.get(path, { headers: { 'if-none-match': tag } })
    expect([answer.status, answer.text]).toEqual([304, ''])
  })
})

test('consumer and IP owner of a sealed RFQ see an offer without prices and notes until it closes', async () => {
  const rfqId = await open({ sealed: true })
  const terms = { toolingCost: euros('10'), shippingCost: euros('5'), notes: 'Discount from 100 pieces on.' }
  const id = await submittedOffer(terms, rfqId)
  const own = await seller.read(id)
  expect(own.body).toMatchObject({ toolingCost: euros('10.00'), notes: terms.notes })
  const { priceBreaks, toolingCost, shippingCost, notes, ...visible } = own.body
  const seen = () =>
    Promise.all([consumer, ipOwner].map(({ administrator }) => offersOf(administrator.client).read(id)))
  const concealed = await seen()
  for (const { body, headers } of concealed) {
    expect<object>(body).toEqual(visible)
    expect(isOffer.Check(body)).toBe(true)
    expect(headers.get('etag')).not.toBe(own.headers.get('etag'))
  }
  await buyer.act(rfqId, 'close')
  for (const { text } of await seen()) expect(text).toBe(own.text)
  await buyer.act(rfqId, 'reopen', { expireTime: '2040-01-01T00:00:00Z' })
  expect((await seen()).map(({ text }) => text)).toEqual(concealed.map(({ text }) => text))
  expect((await seller.read(id)).text).toBe(own.text)
})
