import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Subscription } from '../../../proto/http/sourcing/subscriptions.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { entriesOf } from '../../testing/people.ts'
import { inHours, publishedPart } from '../../testing/rfqs.ts'
import { insertSubscriptions, subscriptionParties, subscriptionsOf } from '../../testing/subscriptions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, otherOwner, maker, stranger, buying, owning } = await subscriptionParties(market)
const outside = subscriptionsOf(stranger.administrator.client)
const isSubscription = TypeCompiler.Compile(Subscription)

const newPart = (body: object = {}) => publishedPart(ipOwner.administrator.client, body)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const requested = async (partId?: string) => (await buying.create({ partId: partId ?? (await newPart()) })).body.id

/** Types and organizations of the events of a subscription, oldest first. */
const eventsOf = async (id: string) =>
  (
    await market.db.owner<{ type: string; tenant_id: string }[]>`
      select type, tenant_id from sourcing.outbox where subject = ${id} order by seq`
  ).map(({ type, tenant_id: tenant }) => `${type} ${tenant === consumer.orgId ? 'consumer' : 'ipOwner'}`)

describe('a request', () => {
  test('for a part is REQUESTED, read by both sides and by no other organization, and told to the IP owner', async () => {
    const partId = await newPart()
    const expireTime = inHours(24)
    const { status, body } = await buying.create({ partId, expireTime })
    expect([status, isSubscription.Check(body)]).toEqual([201, true])
    expect(body).toEqual({
      ...{ id: body.id, ipOwnerOrgId: ipOwner.orgId, consumerOrgId: consumer.orgId, partId, state: 'REQUESTED' },
      ...{ expireTime, createdTime: body.createdTime, updatedTime: body.createdTime },
    } as typeof body)
    for (const by of [buying, owning]) expect((await by.read(body.id)).body).toEqual(body)
    expect((await buying.list(`?partId=${partId}`)).body.items).toEqual([body])
    expect((await owning.list(`?view=IP_OWNER&partId=${partId}`)).body.items).toEqual([body])
    expect((await outside.read(body.id)).status).toBe(404)
    for (const view of ['CONSUMER', 'IP_OWNER']) {
      expect((await outside.list(`?view=${view}&partId=${partId}`)).body.items).toEqual([])
    }
    expect(await eventsOf(body.id)).toEqual(['sourcing.subscription.requested ipOwner'])
  })

  test('for all parts of an IP owner has no part', async () => {
    const { status, body } = await buying.create({ ipOwnerOrgId: otherOwner.orgId })
    expect([status, body.partId, body.ipOwnerOrgId]).toEqual([201, undefined, otherOwner.orgId])
    await buying.remove(body.id)
  })

  test('for an internal part, a draft, or an archived part that the consumer cannot read is 400, exactly like an unknown one', async () => {
    const { client } = ipOwner.administrator
    const { body: draft } = await client.post<{ id: string }>('/v1/parts', { title: 'Draft', materialType: 'metal' })
    const archived = await newPart()
    await client.post(`/flows/v1/parts/${archived}/archive`)
    const unknown = await buying.create({ partId: 'part_unknown' })
    expect([unknown.status, fields(unknown)]).toEqual([400, ['partId']])
    for (const partId of [await newPart({ internal: true }), draft.id, archived]) {
      const answer = await buying.create({ partId })
      expect([answer.status, answer.body.detail.replace(partId, 'part_unknown')]).toEqual([400, unknown.body.detail])
    }
  })

  test('for an own part, for an organization that is no IP owner, for oneself, or for an unknown one is 400', async () => {
    expect(fields(await owning.create({ partId: await newPart() }))).toEqual(['partId'])
    for (const ipOwnerOrgId of [maker.orgId, ipOwner.orgId, 'org_unknown']) {
      const answer = await owning.create({ ipOwnerOrgId })
      expect([answer.status, fields(answer)]).toEqual([400, ['ipOwnerOrgId']])
    }
  })

  test.each([
    [{}, 'partId'],
    [{ partId: 'part_1', ipOwnerOrgId: 'org_1' }, 'ipOwnerOrgId'],
    [{ consumerOrgId: 'org_1', ipOwnerOrgId: 'org_1' }, 'ipOwnerOrgId'],
    [{ partId: '' }, 'partId'],
    [{ ipOwnerOrgId: 'org_1', expireTime: 'soon' }, 'expireTime'],
    [{ ipOwnerOrgId: 'org_1', state: 'ACTIVE' }, 'state'],
  ])('a body %p is 400 for %s', async (body, field) => {
    const answer = await buying.create(body)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('with an expiry in the past is 400', async () => {
    const answer = await buying.create({ partId: await newPart(), expireTime: inHours(-1) })
    expect([answer.status, fields(answer)]).toEqual([400, ['expireTime']])
  })

  test('beside a live one for the same part is 409, whoever made it; beside one for all parts it is possible', async () => {
    const partId = await newPart()
    const id = await requested(partId)
    expect(codeOf(await buying.create({ partId }))).toEqual([409, 'conflict'])
    expect(codeOf(await owning.create({ partId, consumerOrgId: consumer.orgId }))).toEqual([409, 'conflict'])
    const all = await buying.create({ ipOwnerOrgId: ipOwner.orgId })
    expect([all.status, codeOf(await buying.create({ ipOwnerOrgId: ipOwner.orgId }))]).toEqual([201, [409, 'conflict']])
    await buying.remove(all.body.id)
    await owning.act(id, 'decline')
    expect((await buying.create({ partId })).status).toBe(201)
  })
})

describe('a grant', () => {
  test('of an own part, also of an internal one or a draft, is ACTIVE at once and told to the consumer', async () => {
    const partId = await newPart({ internal: true })
    const { status, body } = await owning.create({ partId, consumerOrgId: consumer.orgId })
    expect([status, body.state, isSubscription.Check(body)]).toEqual([201, 'ACTIVE', true])
    expect(await eventsOf(body.id)).toEqual(['sourcing.subscription.granted consumer'])
    expect((await buying.read(body.id)).body).toEqual(body)
  })

  test('of a part of another organization, or to an organization that is no consumer, is 400 like an unknown one', async () => {
    const foreign = await publishedPart(otherOwner.administrator.client)
    for (const partId of [foreign, 'part_unknown']) {
      const answer = await owning.create({ partId, consumerOrgId: consumer.orgId })
      expect([answer.status, fields(answer)]).toEqual([400, ['partId']])
    }
    for (const consumerOrgId of [maker.orgId, ipOwner.orgId, 'org_unknown']) {
      const answer = await owning.create({ consumerOrgId })
      expect([answer.status, fields(answer)]).toEqual([400, ['consumerOrgId']])
    }
  })

  test('of all parts by an organization that is no IP owner is 403', async () => {
    const { client } = await maker.member(['part:publish'])
    expect((await subscriptionsOf(client).create({ consumerOrgId: consumer.orgId })).status).toBe(403)
  })
})

describe('a decision', () => {
  test('is told to the consumer, a decline with its reason', async () => {
    const [first, second] = [await requested(), await requested()]
    const accepted = await owning.act(first, 'accept')
    expect([accepted.status, accepted.body.state]).toEqual([200, 'ACTIVE'])
    const declined = await owning.act(second, 'decline', { reason: 'Only partners.' })
    expect([declined.status, declined.body.state, declined.body.reason]).toEqual([200, 'DECLINED', 'Only partners.'])
    expect((await eventsOf(first)).at(-1)).toBe('sourcing.subscription.accepted consumer')
    expect((await eventsOf(second)).at(-1)).toBe('sourcing.subscription.declined consumer')
    expect((await buying.read(second)).body).toEqual(declined.body)
  })

  test('to accept a request whose expiry has passed is 409', async () => {
    const id = await requested()
    await market.db.owner`update sourcing.subscriptions set expires_at = now() where id = ${id}`
    const answer = await owning.act(id, 'accept')
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
  })
})

describe('the end', () => {
  test('by either side is 204, and told to the other; a second DELETE is 409', async () => {
    for (const [by, told] of [
      [buying, 'ipOwner'],
      [owning, 'consumer'],
    ] as const) {
      const id = await requested()
      await owning.act(id, 'accept')
      expect((await by.remove(id)).status).toBe(204)
      expect((await buying.read(id)).body.state).toBe('ENDED')
      expect((await eventsOf(id)).at(-1)).toBe(`sourcing.subscription.ended ${told}`)
      expect(codeOf(await by.remove(id))).toEqual([409, 'illegal_transition'])
    }
  })

  test('by its expiry is told to both, and another one can be requested at once', async () => {
    const partId = await newPart()
    const { id } = (await owning.create({ partId, consumerOrgId: consumer.orgId, expireTime: inHours(1) })).body
    await market.db.owner`update sourcing.subscriptions set expires_at = now() where id = ${id}`
    expect((await buying.create({ partId })).status).toBe(201)
    await until(async () => (await buying.read(id)).body.state === 'ENDED')
    expect((await eventsOf(id)).slice(1).toSorted()).toEqual([
      'sourcing.subscription.expired consumer',
      'sourcing.subscription.expired ipOwner',
    ])
  })

  test('by the deletion of its part is told to the consumer', async () => {
    const [partId, other] = [await newPart(), await newPart()]
    const [id, kept] = [await requested(partId), await requested(other)]
    await ipOwner.administrator.client.send('DELETE', `/flows/v1/parts/${partId}`)
    expect([(await buying.read(id)).body.state, (await buying.read(kept)).body.state]).toEqual(['ENDED', 'REQUESTED'])
    expect((await eventsOf(id)).at(-1)).toBe('sourcing.subscription.ended consumer')
  })
})

test('a request needs rfq:create, a grant and a decision part:publish, and the end that of its side', async () => {
  const by = async (org: typeof consumer, ...permissions: Parameters<typeof consumer.member>[0] & string[]) =>
    subscriptionsOf((await org.member(permissions)).client)
  const [wrongBuyer, buyer] = [await by(consumer, 'part:publish', 'rfq:publish'), await by(consumer, 'rfq:create')]
  const [wrongOwner, owner] = [await by(ipOwner, 'rfq:create', 'part:update'), await by(ipOwner, 'part:publish')]
  const partId = await newPart()
  expect((await wrongBuyer.create({ partId })).status).toBe(403)
  expect((await wrongOwner.create({ partId, consumerOrgId: consumer.orgId })).status).toBe(403)
  const { id } = (await buyer.create({ partId })).body
  expect((await wrongOwner.act(id, 'accept')).status).toBe(403)
  expect((await wrongOwner.act(id, 'decline')).status).toBe(403)
  expect((await owner.act(id, 'accept')).status).toBe(200)
  expect([(await wrongBuyer.remove(id)).status, (await wrongOwner.remove(id)).status]).toEqual([403, 403])
  expect((await buyer.remove(id)).status).toBe(204)
  const granted = (await owner.create({ partId, consumerOrgId: consumer.orgId })).body.id
  expect((await owner.remove(granted)).status).toBe(204)
})

describe('limits', () => {
  test('1,000 live subscriptions that an organization made; those made by the other side do not count', async () => {
    const [full, free] = [await market.organization(['CONSUMER']), await market.organization(['IP_OWNER'])]
    const mine = subscriptionsOf(full.administrator.client)
    const between = { ipOwnerOrgId: free.orgId, consumerOrgId: full.orgId }
    await insertSubscriptions(market, { ...between, createdByOrgId: free.orgId }, 500)
    await insertSubscriptions(market, { ...between, createdByOrgId: full.orgId, state: 'ENDED' }, 100)
    const [ended] = await insertSubscriptions(market, { ...between, createdByOrgId: full.orgId }, 1000)
    expect(codeOf(await mine.create({ ipOwnerOrgId: free.orgId }))).toEqual([409, 'limit_reached'])
    expect((await mine.remove(ended ?? '')).status).toBe(204)
    expect((await mine.create({ ipOwnerOrgId: free.orgId })).status).toBe(201)
  })

  test('the same one 20 times in 30 days by an organization; the other side can still grant it', async () => {
    const partId = await newPart()
    const kind = { ipOwnerOrgId: ipOwner.orgId, consumerOrgId: consumer.orgId, partId }
    await insertSubscriptions(market, { ...kind, createdByOrgId: consumer.orgId, state: 'DECLINED' }, 20)
    expect(codeOf(await buying.create({ partId }))).toEqual([409, 'limit_reached'])
    const granted = await owning.create({ partId, consumerOrgId: consumer.orgId })
    expect(granted.status).toBe(201)
    await owning.remove(granted.body.id)
    await market.db.owner`
      update sourcing.subscriptions set created_at = now() - interval '31 days'
      where part_id = ${partId} and state = 'DECLINED'`
    expect((await buying.create({ partId })).status).toBe(201)
  })
})

describe('the list', () => {
  test('has the subscriptions of the view, newest first, by state, part and partner', async () => {
    const own = await market.organization(['CONSUMER'])
    const mine = subscriptionsOf(own.administrator.client)
    const partId = await newPart()
    const first = (await mine.create({ partId })).body.id
    const second = (await mine.create({ ipOwnerOrgId: ipOwner.orgId })).body.id
    const third = (await mine.create({ ipOwnerOrgId: otherOwner.orgId })).body.id
    await owning.act(first, 'accept')
    const idsOf = async (query: string, by = mine) => (await by.list(query)).body.items.map(({ id }) => id)
    expect(await idsOf('')).toEqual([third, second, first])
    expect(await idsOf('?pageSize=2&page=2')).toEqual([first])
    expect(await idsOf('?state=ACTIVE')).toEqual([first])
    expect(await idsOf(`?partId=${partId}`)).toEqual([first])
    expect(await idsOf(`?partnerOrgId=${ipOwner.orgId}&state=REQUESTED`)).toEqual([second])
    expect(await idsOf('?view=IP_OWNER')).toEqual([])
    expect(await idsOf(`?view=IP_OWNER&partnerOrgId=${own.orgId}`, owning)).toEqual([second, first])
    expect(await idsOf('?partId=part_unknown')).toEqual([])
    expect((await mine.list('?state=OPEN')).status).toBe(400)
  })
})

test('each command writes an audit entry', async () => {
  const partId = await newPart()
  const id = await requested(partId)
  await owning.act(id, 'decline', { reason: 'No.' })
  const other = await requested(partId)
  await owning.act(other, 'accept')
  await buying.remove(other)
  const last = async (orgId: string, procedure: string) => (await entriesOf(market, orgId, procedure)).at(-1)?.request
  expect(await last(consumer.orgId, 'subscription.create')).toEqual({ subscriptionId: other, partId })
  expect(await last(ipOwner.orgId, 'subscription.decline')).toEqual({ id, reason: 'No.' })
  expect(await last(ipOwner.orgId, 'subscription.accept')).toEqual({ id: other })
  expect(await last(consumer.orgId, 'subscription.delete')).toEqual({ id: other })
})
