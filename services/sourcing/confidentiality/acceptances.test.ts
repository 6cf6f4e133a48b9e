import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { RfqAcceptance } from '../../../proto/http/sourcing/rfq-confidentiality.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { causeOf, confidentialParties, TERMS_SHA256, termsOf } from '../../testing/confidentiality.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { entriesOf, type Page } from '../../testing/people.ts'
import { rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing', 'catalog'])
const { designer, buyer, owner, maker, rival, stranger, rfqs, draft, open, openForOwner, act } =
  await confidentialParties(market)
const isAcceptance = TypeCompiler.Compile(RfqAcceptance)

const by = ({ administrator }: TestOrganization) => termsOf(administrator.client)
const acceptancesFor = async (id: string, org: TestOrganization) => (await by(org).acceptances(id)).body.items
const historyOf = async (id: string, org: TestOrganization) =>
  (
    await org.administrator.client.get<Page<{ changes: { field: string; before?: unknown; after?: unknown }[] }>>(
      `/v1/rfqs/${id}/history`,
    )
  ).body.items
/** The changes of acceptances in the history, newest first. */
const acceptanceChanges = async (id: string, org: TestOrganization) =>
  (await historyOf(id, org)).flatMap(({ changes }) => changes.filter(({ field }) => field.startsWith('acceptances.')))
const told = (events: Awaited<ReturnType<typeof caseEventsOf>>, orgs: Record<string, TestOrganization>) =>
  events
    .map((event) => {
      const name = Object.entries(orgs).find(([, org]) => org.orgId === event.tenantId)?.[0]
      return `${name} ${event.type} ${causeOf(event)}`
    })
    .toSorted()

describe('POST /flows/v1/rfqs/{id}/accept-terms', () => {
  test('needs offer:create of an invited manufacturer; for others the RFQ is 404, and unknown ids are alike', async () => {
    const id = await open()
    const without = await maker.member(['offer:submit', 'offer:withdraw', 'case:read'])
    expect((await termsOf(without.client).accept(id)).status).toBe(403)
    const answers = [await by(stranger).accept(id), await by(stranger).accept('rfq_unknown')]
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      answers.map(() => [404, answers[0]?.body.detail ?? '']),
    )
    expect((await by(maker).accept(await draft())).status).toBe(404)
    expect(await acceptancesFor(id, designer)).toEqual([])
    const member = await maker.member(['offer:create'])
    expect((await termsOf(member.client).accept(id)).status).toBe(200)
  })

  test('is 409 for an RFQ without terms, for a declined invitation, the second time, and once the RFQ is not OPEN', async () => {
    const plain = await draft({ confidentialityTerms: undefined })
    await rfqs.act(plain, 'publish')
    const id = await open()
    const closed = await open()
    await rfqs.act(closed, 'close')
    const expired = await open()
    await market.db.owner`update sourcing.rfqs set expires_at = now() - interval '1 second' where id = ${expired}`
    await rfqsOf(rival.administrator.client).act(id, 'decline')
    expect((await by(maker).accept(id)).status).toBe(200)
    const answers = [
      await by(maker).accept(plain),
      await by(rival).accept(id),
      await by(maker).accept(id),
      await by(maker).accept(closed),
      await by(maker).accept(expired),
    ]
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [409, 'The RFQ has no confidentiality terms.'],
      [409, 'The invitation is DECLINED.'],
      [409, 'Your organization has accepted the terms already.'],
      [409, 'The RFQ is CLOSED, not OPEN.'],
      [409, 'The RFQ is CLOSED, not OPEN.'],
    ])
    expect(await acceptancesFor(id, designer)).toHaveLength(1)
  })

  test('of equal requests one succeeds', async () => {
    const id = await open()
    const answers = await Promise.all(Array.from({ length: 5 }, () => by(maker).accept(id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    expect(await acceptanceChanges(id, designer)).toHaveLength(1)
  })

  test('writes an audit entry and an event, and tells exactly the manufacturer, the consumer and the IP owner', async () => {
    const { id } = await openForOwner()
    const member = await maker.member(['offer:create'])
    const all = await caseEventsOf(market, () => termsOf(member.client).accept(id))
    // The RFQs of other tests close meanwhile.
    const events = all.filter(({ data }) => data.case.rfqId === id)
    const cause = 'sourcing.rfq.termsAccepted'
    expect(told(events, { buyer, owner, maker, rival })).toEqual([
      `buyer cases.updated ${cause}`,
      `maker cases.updated ${cause}`,
      `owner cases.updated ${cause}`,
    ])
    const entries = await entriesOf(market, maker.orgId, 'rfq.acceptTerms')
    expect(entries.filter(({ request }) => request.id === id)).toMatchObject([
      { success: true, actor_id: member.userId, request: { id } },
    ])
    const emitted = await market.db.owner<{ data: string }[]>`
      select data::text as data from sourcing.outbox where subject = ${id} and type = ${cause}`
    expect(emitted.map(({ data }) => JSON.parse(data))).toMatchObject([{ rfqId: id, manufacturerOrgId: maker.orgId }])
  })

  test('changes no other time of the RFQ, which other invitees would see', async () => {
    const id = await open()
    await rfqsOf(rival.administrator.client).read(id)
    const before = [await rfqsOf(rival.administrator.client).read(id), await historyOf(id, rival)]
    await by(maker).accept(id)
    expect(
      [await rfqsOf(rival.administrator.client).read(id), await historyOf(id, rival)].map((one) =>
        JSON.stringify('body' in one ? one.body : one),
      ),
    ).toEqual(before.map((one) => JSON.stringify('body' in one ? one.body : one)))
  })
})

describe('GET /flows/v1/rfqs/{id}/acceptances', () => {
  test('consumer and IP owner see organization, time and digest of each; the organization itself also user and address', async () => {
    const { id } = await openForOwner()
    const member = await maker.member(['offer:create'])
    await termsOf(member.client).accept(id)
    await by(rival).accept(id)
    for (const org of [buyer, owner]) {
      const items = await acceptancesFor(id, org)
      expect(items).toEqual([
        { manufacturerOrgId: rival.orgId, acceptedTime: expect.any(String), termsSha256: TERMS_SHA256 },
        { manufacturerOrgId: maker.orgId, acceptedTime: expect.any(String), termsSha256: TERMS_SHA256 },
      ])
      expect(items.every((one) => isAcceptance.Check(one))).toBe(true)
    }
    const own = await acceptancesFor(id, maker)
    expect(own).toEqual([
      {
        manufacturerOrgId: maker.orgId,
        acceptedTime: expect.any(String),
        termsSha256: TERMS_SHA256,
        userId: member.userId,
        ipAddress: '127.0.0.1',
      },
    ])
    expect(own.every((one) => isAcceptance.Check(one))).toBe(true)
    expect((await acceptancesFor(id, rival)).map((one) => one.manufacturerOrgId)).toEqual([rival.orgId])
    expect((await by(stranger).acceptances(id)).status).toBe(404)
  })

  test('a draft has none, and is 404 for all but its consumer', async () => {
    const id = await draft()
    expect(await acceptancesFor(id, designer)).toEqual([])
    expect((await by(maker).acceptances(id)).status).toBe(404)
  })

  test('the pages continue one another', async () => {
    const id = await open()
    await by(maker).accept(id)
    await by(rival).accept(id)
    const pages = []
    for (const page of [1, 2, 3]) pages.push((await by(designer).acceptances(id, `?pageSize=1&page=${page}`)).body)
    expect(pages.map(({ items }) => items.map((one) => one.manufacturerOrgId))).toEqual([
      [rival.orgId],
      [maker.orgId],
      [],
    ])
  })

  test('acceptances survive a decline and the end of the RFQ', async () => {
    const id = await open()
    await by(maker).accept(id)
    await rfqsOf(maker.administrator.client).act(id, 'decline')
    await rfqs.act(id, 'cancel', { reason: 'Sold.' })
    for (const org of [designer, maker]) expect(await acceptancesFor(id, org)).toHaveLength(1)
  })

  test('an invited IP owner sees only its own, and is notified of no other', async () => {
    const opened = await openForOwner()
    const { id } = opened
    await act(opened.id, 'invite', { manufacturerIds: [owner.orgId] })
    const events = await caseEventsOf(market, () => by(maker).accept(id))
    expect(new Set(events.map(({ tenantId }) => tenantId))).toEqual(new Set([buyer.orgId, maker.orgId]))
    expect([await acceptancesFor(id, owner), await acceptanceChanges(id, owner)]).toEqual([[], []])
    expect((await by(owner).accept(id)).status).toBe(200)
    expect((await acceptancesFor(id, owner)).map((one) => one.manufacturerOrgId)).toEqual([owner.orgId])
    const own = await acceptanceChanges(id, owner)
    expect(own.map(({ field }) => field)).toEqual([`acceptances.${owner.orgId}.acceptedTime`])
    expect(await acceptancesFor(id, buyer)).toHaveLength(2)
  })

  test('the history has each acceptance for consumer and IP owner, and its own for the manufacturer', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    await by(rival).accept(id)
    const [{ acceptedTime }] = (await acceptancesFor(id, maker)) as [RfqAcceptance]
    const change = { field: `acceptances.${maker.orgId}.acceptedTime`, after: acceptedTime }
    expect(await acceptanceChanges(id, maker)).toEqual([change])
    for (const org of [buyer, owner]) {
      const changes = await acceptanceChanges(id, org)
      expect([changes.length, changes[1]]).toEqual([2, change])
    }
  })
})

describe('an offer', () => {
  test('needs the acceptance: creation is 409 before, and 201 after it', async () => {
    const id = await open()
    const { id: factoryId } = await createFactory(maker.administrator.client)
    const offers = offersOf(maker.administrator.client)
    const refused = await offers.create(offerBody(id, factoryId))
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      [{ field: 'rfqId', message: 'has confidentiality terms that your organization has not accepted' }],
    ])
    await by(maker).accept(id)
    expect((await offers.create(offerBody(id, factoryId))).status).toBe(201)
  })

  test('is not submitted without it', async () => {
    const id = await open()
    await by(maker).accept(id)
    const { id: factoryId } = await createFactory(maker.administrator.client)
    const offers = offersOf(maker.administrator.client)
    const { body } = await offers.create(offerBody(id, factoryId))
    await market.db.owner`
      update sourcing.rfq_invitations set awaits_acceptance = true where rfq_id = ${id} and org_id = ${maker.orgId}`
    const { status, body: refused } = await offers.act(body.id, 'submit')
    expect([status, refused.errors?.[0]?.field]).toEqual([409, 'rfqId'])
  })

  test('of an invited IP owner also needs its acceptance', async () => {
    const opened = await openForOwner()
    const { id } = opened
    await act(opened.id, 'invite', { manufacturerIds: [owner.orgId] })
    const { id: factoryId } = await createFactory(owner.administrator.client)
    const offers = offersOf(owner.administrator.client)
    expect((await offers.create(offerBody(id, factoryId))).status).toBe(409)
    await by(owner).accept(id)
    expect((await offers.create(offerBody(id, factoryId))).status).toBe(201)
  })
})

test('the anonymisation of a user erases user and address, and nothing else', async () => {
  const id = await open()
  const member = await maker.member(['offer:create'])
  await termsOf(member.client).accept(id)
  await by(rival).accept(id)
  const client = maker.administrator.client
  await client.post(`/flows/v1/users/${member.userId}/deactivate`)
  expect((await client.post(`/flows/v1/users/${member.userId}/anonymise`)).status).toBe(200)
  const erased = await until(async () => {
    const [own] = await acceptancesFor(id, maker)
    return own && !('userId' in own) && own
  })
  expect(erased).toEqual({
    manufacturerOrgId: maker.orgId,
    acceptedTime: expect.any(String),
    termsSha256: TERMS_SHA256,
  })
  expect((await acceptancesFor(id, rival))[0]?.userId).toBe(rival.administrator.userId)
})
