import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { entriesOf, type Problem } from '../../testing/people.ts'
import { inHours, publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, stranger, partId, buyer, draft, open } = await rfqParties(market)
const isRfq = TypeCompiler.Compile(Rfq)
const owner = rfqsOf(ipOwner.administrator.client)
const invited = rfqsOf(maker.administrator.client)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('POST /flows/v1/rfqs', () => {
  test('creates a DRAFT with the terms, sent lists without duplicates, and the IP owner of the part', async () => {
    const expireTime = '2040-05-29T12:00:00+02:00'
    const answer = await buyer.create(
      rfqBody(partId, {
        quantities: [50, 10, 50],
        manufacturerIds: [maker.orgId, maker.orgId],
        incoterm: 'DAP',
        requirements: 'One first article.',
        expireTime,
        sealed: true,
      }),
    )
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      partId,
      state: 'DRAFT',
      quantities: [50, 10],
      manufacturerIds: [maker.orgId],
      consumerOrgId: consumer.orgId,
      ipOwnerOrgId: ipOwner.orgId,
      expireTime: '2040-05-29T10:00:00.000Z',
      sealed: true,
      awardedOfferIds: [],
    })
    expect(answer.body.serialNumber).toMatch(/^R-[0-9A-HJKMNP-TV-Z]{8}$/)
    expect(isRfq.Check(answer.body)).toBe(true)
    expect((await buyer.read(answer.body.id)).text).toBe(answer.text)
    const entries = await entriesOf(market, consumer.orgId, 'rfq.create')
    expect(entries.map(({ request }) => request.rfqId)).toContain(answer.body.id)
  })

  test('an organization that is no consumer cannot pose as one to collect prices: 403 for its administrator', async () => {
    for (const roles of [['MANUFACTURER'], ['SELLER'], ['DISTRIBUTOR'], ['IP_OWNER']] as const) {
      const { administrator } = await market.organization([...roles])
      const { client } = administrator
      const answers = [
        await rfqsOf(client).create(rfqBody(partId, { manufacturerIds: [maker.orgId] })),
        await client.post<Problem>(`/flows/v1/rfqs/${await open()}/award`, { awards: [{ offerId: 'x', quantity: 1 }] }),
        await client.post<Problem>('/flows/v1/offers/offer_00000000000000000000000000/accept', { quantity: 1 }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
      const role = await client.post<Problem>('/flows/v1/roles', { name: 'Buyer 2', permissions: ['rfq:create'] })
      expect(role.status).toBe(400)
    }
  })

  test('a minimal RFQ has empty lists and is not sealed', async () => {
    const { quantities, ...minimal } = rfqBody(partId)
    const { status, body } = await buyer.create(minimal)
    expect([status, quantities.length]).toEqual([201, 2])
    expect(body).toMatchObject({ quantities: [], manufacturerIds: [], sealed: false })
    expect(body).not.toHaveProperty('incoterm')
  })

  test.each([
    ['currency', { currency: 'DEM' }],
    ['currency', { currency: 'eur' }],
    ['deliveryRegionCode', { deliveryRegionCode: 'Denmark' }],
    ['deliveryRegionCode', { deliveryRegionCode: 'EU' }],
    ['deliveryRegionCode', { deliveryRegionCode: 'ZZ' }],
    ['incoterm', { incoterm: 'DAT' }],
    ['quantities.0', { quantities: [0] }],
    ['quantities.0', { quantities: [1.5] }],
    ['expireTime', { expireTime: '2040-02-30T00:00:00Z' }],
    ['expireTime', { expireTime: '9999-12-31T23:59:59-12:00' }],
    ['expireTime', { expireTime: null }],
    ['partId', { partId: 'part_unknown' }],
    ['manufacturerIds.0', { manufacturerIds: ['org_unknown'] }],
    ['state', { state: 'OPEN' }],
    ['awardedOfferIds', { awardedOfferIds: [] }],
  ])('a bad %s is 400', async (field, more) => {
    const answer = await buyer.create(rfqBody(partId, more))
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('an invitee without the role MANUFACTURER is refused like an unknown organization', async () => {
    const answers = await Promise.all(
      [ipOwner.orgId, 'org_unknown'].map((id) => buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId, id] }))),
    )
    const [other, unknown] = answers
    expect(answers.map((answer) => [answer.status, fields(answer)])).toEqual([
      [400, ['manufacturerIds.1']],
      [400, ['manufacturerIds.1']],
    ])
    expect(other?.body.detail.replace(ipOwner.orgId, 'x')).toBe(unknown?.body.detail.replace('org_unknown', 'x') ?? '')
  })

  test.each([
    ['draft', {}, []],
    ['internal', { internal: true }, ['publish']],
    ['archived', {}, ['publish', 'archive']],
  ])("another organization's %s part is refused like an unknown one, and its owner may ask", async (_, more, verbs) => {
    const { client } = ipOwner.administrator
    const part = { title: 'Secret', materialType: 'metal', ...more }
    const { id } = (await client.post<{ id: string }>('/v1/parts', part)).body
    for (const verb of verbs) await client.post(`/flows/v1/parts/${id}/${verb}`)
    const foreign = await buyer.create(rfqBody(id))
    const unknown = await buyer.create(rfqBody('part_unknown'))
    expect([foreign.status, foreign.body.detail.replace(id, 'x')]).toEqual([
      400,
      unknown.body.detail.replace('part_unknown', 'x'),
    ])
    expect((await owner.create(rfqBody(id))).status).toBe(201)
  })

  test('a part that the caller may read as an invitee alone is refused: it could invite others to it', async () => {
    const internal = await publishedPart(ipOwner.administrator.client, { internal: true })
    const made = await owner.create(rfqBody(internal, { manufacturerIds: [stranger.orgId] }))
    expect((await owner.act(made.body.id, 'publish')).status).toBe(200)
    const { client } = stranger.administrator
    expect((await client.get(`/v1/parts/${internal}`)).status).toBe(200)
    expect((await rfqsOf(client).create(rfqBody(internal))).status).toBe(400)
  })

  test('the same Idempotency-Key returns the first RFQ', async () => {
    const { client } = consumer.administrator
    const [body, key] = [rfqBody(partId), { 'idempotency-key': crypto.randomUUID() }]
    const answers = [
      await client.post<Rfq>('/flows/v1/rfqs', body, key),
      await client.post<Rfq>('/flows/v1/rfqs', body, key),
    ]
    expect(answers[1]?.text).toBe(answers[0]?.text ?? '')
    expect((await client.post('/flows/v1/rfqs', { ...body, sealed: true }, key)).status).toBe(409)
  })
})

describe('PATCH /flows/v1/rfqs/{id}', () => {
  test('changes sent fields, clears null fields and keeps the others', async () => {
    const id = await draft({ incoterm: 'DAP', requirements: 'None.', sealed: true })
    const answer = await buyer.patch(id, { quantities: [5, 5], requirements: null, sealed: null, currency: 'NOK' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ quantities: [5], sealed: false, currency: 'NOK', incoterm: 'DAP' })
    expect(answer.body).not.toHaveProperty('requirements')
    expect((await buyer.read(id)).text).toBe(answer.text)
  })

  test('another part sets its IP owner', async () => {
    const other = await publishedPart(stranger.administrator.client)
    const { body } = await buyer.patch(await draft(), { partId: other })
    expect(body).toMatchObject({ partId: other, ipOwnerOrgId: stranger.orgId })
  })

  test('a patch without a change returns the same JSON and emits no event', async () => {
    const id = await draft()
    const before = await buyer.read(id)
    expect((await buyer.patch(id, { quantities: [10, 50] })).text).toBe(before.text)
    const events = await market.db.owner`
      select type from sourcing.outbox where subject = ${id} and type = 'sourcing.rfq.updated'`
    expect(events).toHaveLength(0)
  })

  test.each([
    ['partId', { partId: null }],
    ['partId', { partId: 'part_unknown' }],
    ['manufacturerIds.0', { manufacturerIds: ['org_unknown'] }],
    ['expireTime', { expireTime: '0001-01-01T00:00:00+14:00' }],
    ['consumerOrgId', { consumerOrgId: 'org_1' }],
  ])('a bad %s is 400 and changes nothing', async (field, body) => {
    const id = await draft()
    const before = await buyer.read(id)
    const answer = await buyer.patch(id, body)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
    expect((await buyer.read(id)).text).toBe(before.text)
  })

  test('a current If-Match is 200, an outdated one 412', async () => {
    const id = await draft()
    const tag = (await buyer.read(id)).headers.get('etag') ?? ''
    const first = await buyer.patch(id, { quantities: [1] }, { 'if-match': tag })
    const second = await buyer.patch(id, { quantities: [2] }, { 'if-match': tag })
    expect([first.status, second.status]).toEqual([200, 412])
    expect(first.headers.get('etag')).toBe((await buyer.read(id)).headers.get('etag') ?? '')
  })

  test('the content of a published RFQ is fixed: 409', async () => {
    const id = await open()
    const answer = await buyer.patch(id, { quantities: [1] })
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
  })
})

describe('a caller without access', () => {
  const verbs = [
    ['patch', (id: string, by: typeof buyer) => by.patch(id, { quantities: [1] })],
    ['publish', (id: string, by: typeof buyer) => by.act(id, 'publish')],
    ['invite', (id: string, by: typeof buyer) => by.act(id, 'invite', { manufacturerIds: [maker.orgId] })],
    ['extend', (id: string, by: typeof buyer) => by.act(id, 'extend', { expireTime: inHours(99) })],
    ['close', (id: string, by: typeof buyer) => by.act(id, 'close')],
    ['reopen', (id: string, by: typeof buyer) => by.act(id, 'reopen', { expireTime: inHours(99) })],
    ['cancel', (id: string, by: typeof buyer) => by.act(id, 'cancel', { reason: 'x' })],
    ['delete', (id: string, by: typeof buyer) => by.remove(id)],
  ] as const

  test.each(verbs)('%s by IP owner, invitee or stranger is 404, and the RFQ does not change', async (_, command) => {
    for (const id of [await draft(), await open()]) {
      const before = await buyer.read(id)
      for (const by of [owner, invited, rfqsOf(stranger.administrator.client)]) {
        expect((await command(id, by)).status).toBe(404)
      }
      expect((await buyer.read(id)).text).toBe(before.text)
    }
  })

  test.each(verbs)('%s without the permission is 403, with an audit entry', async (verb, command) => {
    const id = await draft()
    const member = await consumer.member(['app:consumer', 'rfq:award'])
    expect((await command(id, rfqsOf(member.client))).status).toBe(403)
    const entries = await market.db.owner`
      select procedure, success, error from organization.audit_log
      where actor_id = ${member.userId} and procedure like 'rfq.%'`
    expect([...entries]).toEqual([{ procedure: `rfq.${verb}`, success: false, error: 'forbidden' }])
  })

  test('invitations are listed only for the consumer', async () => {
    const id = await open()
    const by = [ipOwner, maker, stranger].map(({ administrator }) => administrator.client)
    for (const client of by) expect((await client.get(`/flows/v1/rfqs/${id}/invitations`)).status).toBe(404)
  })
})
