import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { RfqSeller } from '../../../proto/http/sourcing/sales-agreements.ts'
import { SalesAgreement } from '../../../proto/http/sourcing/sales-agreements.ts'
import { awardParties, awardsOf, insertAgreement } from '../../testing/awards.ts'
import type { ApiAnswer, ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, seller, distributor, stranger, open, offer, ordersOfRfq } = parties
const buyer = consumer.administrator.client
const { award } = awardsOf(buyer)
const isAgreement = TypeCompiler.Compile(SalesAgreement)

const path = '/flows/v1/sales-agreements'
type AgreementAnswer = Promise<ApiAnswer<SalesAgreement & Problem>>
const agreementsOf = (client: ApiClient) => ({
  create: (manufacturerOrgId: string, sellerOrgId: string, feePercent = '2.5'): AgreementAnswer =>
    client.post(path, { manufacturerOrgId, sellerOrgId, feePercent }),
  act: (id: string, verb: 'accept' | 'end'): AgreementAnswer => client.post(`${path}/${id}/${verb}`),
  read: (id: string): AgreementAnswer => client.get(`${path}/${id}`),
  list: (query = '') => client.get<{ items: SalesAgreement[] }>(`${path}${query}`),
})
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

/** A manufacturer and a seller without agreement. */
async function pair() {
  const [making, selling] = await Promise.all([market.organization(['MANUFACTURER']), market.organization(['SELLER'])])
  const [made, sold] = [making, selling].map(({ administrator }) => agreementsOf(administrator.client)) as [
    ReturnType<typeof agreementsOf>,
    ReturnType<typeof agreementsOf>,
  ]
  return { making, selling, made, sold }
}

describe('a sales agreement', () => {
  test('is proposed by manufacturer or seller, and accepted by the other one alone', async () => {
    for (const isByMaker of [true, false]) {
      const { making, selling, made, sold } = await pair()
      const [proposer, other] = isByMaker ? [made, sold] : [sold, made]
      const { status, body } = await proposer.create(making.orgId, selling.orgId)
      expect([status, isAgreement.Check(body)]).toEqual([201, true])
      expect(body).toMatchObject({ state: 'PROPOSED', feePercent: '2.50', manufacturerOrgId: making.orgId })
      expect((await proposer.act(body.id, 'accept')).status).toBe(404)
      expect((await agreementsOf(stranger.administrator.client).act(body.id, 'accept')).status).toBe(404)
      expect((await other.act(body.id, 'accept')).body.state).toBe('ACTIVE')
      expect((await other.act(body.id, 'accept')).status).toBe(409)
    }
  })

  test('is ended by either, as a proposal and as an agreement, and never again', async () => {
    for (const [isAccepted, isByMaker] of [
      [false, true],
      [false, false],
      [true, true],
      [true, false],
    ] as const) {
      const { making, selling, made, sold } = await pair()
      const { body } = await made.create(making.orgId, selling.orgId)
      if (isAccepted) await sold.act(body.id, 'accept')
      const ending = isByMaker ? made : sold
      expect((await agreementsOf(stranger.administrator.client).act(body.id, 'end')).status).toBe(404)
      expect((await ending.act(body.id, 'end')).body.state).toBe('ENDED')
      expect((await ending.act(body.id, 'end')).status).toBe(409)
      expect((await sold.act(body.id, 'accept')).status).toBe(409)
    }
  })

  test('of two organizations is live once; after its end a new one can be proposed', async () => {
    const { making, selling, made, sold } = await pair()
    const { body } = await made.create(making.orgId, selling.orgId)
    const again = await sold.create(making.orgId, selling.orgId, '3')
    expect([again.status, again.body.code]).toEqual([409, 'conflict'])
    await made.act(body.id, 'end')
    expect((await sold.create(making.orgId, selling.orgId, '3')).status).toBe(201)
  })

  test('names the own organization and one with the other role; unknown ones and others are refused alike', async () => {
    const { making, selling, made } = await pair()
    const client = making.administrator.client
    for (const [manufacturerOrgId, sellerOrgId, field] of [
      [making.orgId, 'org_unknown', 'sellerOrgId'],
      [making.orgId, consumer.orgId, 'sellerOrgId'],
      [maker.orgId, selling.orgId, 'manufacturerOrgId'],
      [making.orgId, making.orgId, 'sellerOrgId'],
    ] as const) {
      const answer = await agreementsOf(client).create(manufacturerOrgId, sellerOrgId)
      expect([sellerOrgId, answer.status, fields(answer)]).toEqual([sellerOrgId, 400, [field]])
    }
    for (const feePercent of ['-1', '100.01', '2.555', '1e1', '', 'x']) {
      expect(fields(await made.create(making.orgId, selling.orgId, feePercent))).toEqual(['feePercent'])
    }
  })

  test('needs order:confirm of the manufacturer and app:seller of the seller', async () => {
    const { making, selling } = await pair()
    const worker = await making.member(['order:update'])
    expect((await agreementsOf(worker.client).create(making.orgId, selling.orgId)).status).toBe(403)
    const clerk = await making.member(['app:manufacturer'])
    const refused = await agreementsOf(clerk.client).create(making.orgId, selling.orgId)
    expect([refused.status, refused.body.detail]).toEqual([403, 'This needs the permission order:confirm.'])
    const [lead, agent] = [
      await making.member(['app:manufacturer', 'order:confirm']),
      await selling.member(['app:seller']),
    ]
    const { body } = await agreementsOf(lead.client).create(making.orgId, selling.orgId)
    const other = await selling.member(['order:update'])
    expect((await agreementsOf(other.client).act(body.id, 'accept')).status).toBe(403)
    expect((await agreementsOf(agent.client).act(body.id, 'accept')).status).toBe(200)
  })

  test('is read by its two organizations alone', async () => {
    const { making, selling, made, sold } = await pair()
    const { body } = await made.create(making.orgId, selling.orgId)
    for (const by of [made, sold]) {
      expect((await by.read(body.id)).body).toEqual(body)
      expect((await by.list()).body.items).toEqual([body])
      expect((await by.list('?state=ACTIVE')).body.items).toEqual([])
    }
    const others = agreementsOf(stranger.administrator.client)
    expect((await others.read(body.id)).status).toBe(404)
    expect((await others.list()).body.items).toEqual([])
  })

  test('is not accepted when the seller no longer sells', async () => {
    const { making, selling, made, sold } = await pair()
    const { body } = await sold.create(making.orgId, selling.orgId)
    await owner`update organization.organizations set roles = '{CONSUMER}' where id = ${selling.orgId}`
    const answer = await made.act(body.id, 'accept')
    expect([answer.status, answer.body.detail]).toEqual([409, 'The organization is no longer a seller.'])
  })

  test('is ended by an administrator of an organization that no longer has its role, and by no other member', async () => {
    const { making, selling, made, sold } = await pair()
    const { body } = await made.create(making.orgId, selling.orgId)
    await sold.act(body.id, 'accept')
    const agent = await selling.member(['app:seller'])
    await owner`update organization.organizations set roles = '{CONSUMER}' where id = ${selling.orgId}`
    expect((await agreementsOf(agent.client).act(body.id, 'end')).status).toBe(403)
    expect((await agreementsOf(stranger.administrator.client).act(body.id, 'end')).status).toBe(404)
    expect((await sold.act(body.id, 'end')).body.state).toBe('ENDED')
  })

  test('is proposed to one organization at most 20 times in 30 days', async () => {
    const { making, selling, made } = await pair()
    for (let round = 0; round < 20; round++) {
      const { body } = await made.create(making.orgId, selling.orgId)
      await made.act(body.id, 'end')
    }
    const answer = await made.create(making.orgId, selling.orgId)
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  })
})

describe('an award that names a seller', () => {
  test('needs its active agreement with each awarded manufacturer', async () => {
    const other = await market.organization(['SELLER'])
    await insertAgreement(owner, maker.orgId, other.orgId, '1')
    const rfqId = await open()
    const awards = [
      { offerId: await offer(rfqId, maker), quantity: 1 },
      { offerId: await offer(rfqId, rival), quantity: 1 },
    ]
    const answer = await award(rfqId, { awards, sellerOrgId: other.orgId })
    expect([answer.status, answer.body.errors]).toEqual([
      409,
      [{ field: 'sellerOrgId', message: `has no active sales agreement with \`${rival.orgId}\`` }],
    ])
    await insertAgreement(owner, rival.orgId, other.orgId, '1')
    expect((await award(rfqId, { awards, sellerOrgId: other.orgId })).status).toBe(200)
  })

  test('that ended, or whose organization is no longer a seller, is 409', async () => {
    const other = await market.organization(['SELLER', 'CONSUMER'])
    const id = await insertAgreement(owner, maker.orgId, other.orgId, '1')
    const rfqId = await open()
    const awards = [{ offerId: await offer(rfqId, maker), quantity: 1 }]
    await owner`update organization.organizations set roles = '{CONSUMER,MANUFACTURER}' where id = ${other.orgId}`
    expect((await award(rfqId, { awards, sellerOrgId: other.orgId })).status).toBe(409)
    await owner`update organization.organizations set roles = '{CONSUMER,SELLER}' where id = ${other.orgId}`
    await agreementsOf(other.administrator.client).act(id, 'end')
    expect((await award(rfqId, { awards, sellerOrgId: other.orgId })).status).toBe(409)
    expect(await ordersOfRfq(rfqId)).toEqual([])
  })

  test('may name the awarded manufacturer, which sells its own without agreement and without fee', async () => {
    const rfqId = await open()
    const awards = [{ offerId: await offer(rfqId, maker), quantity: 1 }]
    const { status, body } = await award(rfqId, { awards, sellerOrgId: maker.orgId })
    expect([status, body.orders[0]?.sellerOrgId, body.orders[0]?.sellerFee]).toEqual([200, maker.orgId, undefined])
  })
})

test('an award with another sellerFeePercent than the agreement is 409', async () => {
  const other = await market.organization(['SELLER'])
  await insertAgreement(owner, maker.orgId, other.orgId, '2.5')
  const rfqId = await open()
  const awards = [{ offerId: await offer(rfqId, maker), quantity: 10 }]
  await owner`update sourcing.sales_agreements set fee_percent = 100 where seller_org_id = ${other.orgId}`
  const refused = await award(rfqId, { awards, sellerOrgId: other.orgId, sellerFeePercent: '2.5' })
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [{ field: 'sellerFeePercent', message: 'is 100.00 in the agreement' }],
  ])
  await owner`update sourcing.sales_agreements set fee_percent = 2.5 where seller_org_id = ${other.orgId}`
  expect((await award(rfqId, { awards, sellerOrgId: other.orgId, sellerFeePercent: '2.50' })).status).toBe(200)
})

describe('GET /flows/v1/rfqs/{id}/sellers', () => {
  const sellersOf = (client: ApiClient, rfqId: string) =>
    client.get<{ items: RfqSeller[] } & Problem>(`/flows/v1/rfqs/${rfqId}/sellers`)

  test('lists sellers of manufacturers with an offer, by name, for the consumer alone', async () => {
    const rfqId = await open()
    const mine = async () =>
      (await sellersOf(buyer, rfqId)).body.items.find(({ sellerOrgId }) => sellerOrgId === seller.orgId)?.agreements
    expect(await mine()).toBeUndefined()
    await offer(rfqId, maker)
    expect(await mine()).toEqual([{ manufacturerOrgId: maker.orgId, feePercent: '2.50' }])
    await offer(rfqId, rival)
    expect((await mine())?.map(({ manufacturerOrgId }) => manufacturerOrgId)).toEqual(
      [maker.orgId, rival.orgId].toSorted(),
    )
    for (const org of [ipOwner, maker, seller, distributor, stranger]) {
      expect((await sellersOf(org.administrator.client, rfqId)).status).toBe(404)
    }
  })
})
