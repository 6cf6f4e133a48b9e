import { expect, setDefaultTimeout, test } from 'bun:test'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { publishedPart, rfqBody } from '../../testing/rfqs.ts'
import { insertSubscriptions, subscriptionParties, subscriptionsOf } from '../../testing/subscriptions.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, buying, owning, rfqs } = await subscriptionParties(market)
const ROUNDS = 12

const newPart = (body: object = {}) => publishedPart(ipOwner.administrator.client, body)
const stateOf = async (id: string) => (await buying.read(id)).body.state
const eventsOf = async (id: string) =>
  (
    await market.db.owner<{ type: string }[]>`
      select type from sourcing.outbox where subject = ${id} order by seq`
  ).map(({ type }) => type.replace('sourcing.subscription.', ''))

test('an acceptance against the withdrawal of the request: both in this order, or the withdrawal alone', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = (await buying.create({ partId: await newPart() })).body
    const [accepted, removed] = await Promise.all([owning.act(id, 'accept'), buying.remove(id)])
    expect([removed.status, await stateOf(id)]).toEqual([204, 'ENDED'])
    expect([accepted.status, await eventsOf(id)]).toEqual(
      accepted.status === 200 ? [200, ['requested', 'accepted', 'ended']] : [409, ['requested', 'ended']],
    )
  }
})

test('of an acceptance, a decline and two DELETEs of both sides the order is that of the states', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = (await buying.create({ partId: await newPart() })).body
    const answers = await Promise.all([
      owning.act(id, 'accept'),
      owning.act(id, 'decline'),
      buying.remove(id),
      owning.remove(id),
    ])
    const [accepted, declined, ...removed] = answers.map(({ status }) => status < 300)
    const ends = removed.filter(Boolean).length
    expect([ends <= 1, !(accepted && declined), !(declined && ends > 0)]).toEqual([true, true, true])
    expect(await stateOf(id)).toBe(declined ? 'DECLINED' : 'ENDED')
  }
})

test('of concurrent requests and grants of the same one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const partId = await newPart()
    const answers = await Promise.all([
      buying.create({ partId }),
      owning.create({ partId, consumerOrgId: consumer.orgId }),
      buying.create({ partId }),
      owning.create({ partId, consumerOrgId: consumer.orgId }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  }
})

test('of concurrent requests at the limit as many succeed as fit', async () => {
  const full = await market.organization(['CONSUMER'])
  const between = { ipOwnerOrgId: ipOwner.orgId, consumerOrgId: full.orgId, createdByOrgId: full.orgId }
  await insertSubscriptions(market, between, 998)
  const parts = await Promise.all(Array.from({ length: 5 }, () => newPart()))
  const requests = subscriptionsOf(full.administrator.client)
  const answers = await Promise.all(parts.map((partId) => requests.create({ partId })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409])
})

test('a request against the deletion of its part leaves no live subscription to it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const partId = await newPart()
    const [created, deleted] = await Promise.all([
      buying.create({ partId }),
      ipOwner.administrator.client.send('DELETE', `/flows/v1/parts/${partId}`),
    ])
    expect([deleted.status, [201, 400].includes(created.status)]).toEqual([204, true])
    if (created.status === 201) expect(await stateOf(created.body.id)).toBe('ENDED')
  }
})

test('a publication against the end of the subscription: it is published before it, or 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const partId = await newPart({ requireSubscription: true })
    const { id } = (await owning.create({ partId, consumerOrgId: consumer.orgId })).body
    const rfqId = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body.id
    const [published, ended] = await Promise.all([rfqs.act(rfqId, 'publish'), owning.remove(id)])
    expect([ended.status, (await rfqs.read(rfqId)).body.state]).toEqual([
      204,
      published.status === 200 ? 'OPEN' : 'DRAFT',
    ])
    if (published.status !== 200) expect(published.body.code).toBe('subscription_required')
  }
})
