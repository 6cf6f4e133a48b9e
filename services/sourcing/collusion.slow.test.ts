import { expect, setDefaultTimeout, test } from 'bun:test'
import { awardsOf, insertAgreement } from '../testing/awards.ts'
import { everyRead } from '../testing/every-read.ts'
import { createFactory } from '../testing/factories.ts'
import { FileClient } from '../testing/files/file-client.ts'
import { RACING, type TestOrganization, testMarketplace } from '../testing/marketplace.ts'
import { euros, offerBody, offersOf } from '../testing/offers.ts'
import { ordersOf } from '../testing/orders.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../testing/rfqs.ts'
import { until } from '../testing/until.ts'

/** Organizations read everything that they can find, and compare it: no other one may learn a secret of one of them. */
setDefaultTimeout(240_000)
const market = await testMarketplace(RACING)
const [consumer, owner, maker, rival, stranger] = await Promise.all([
  market.organization(['CONSUMER']),
  market.organization(['IP_OWNER', 'MANUFACTURER', 'CONSUMER']),
  market.organization(['MANUFACTURER', 'CONSUMER']),
  market.organization(['MANUFACTURER', 'CONSUMER', 'DISTRIBUTOR']),
  market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
])
const ORGANIZATIONS = { consumer, owner, maker, rival, stranger }
type Name = keyof typeof ORGANIZATIONS
const clientOf = ({ administrator }: TestOrganization) => administrator.client

/** The names of the secrets that each organization finds in any answer, or in an event for it. */
async function foundBy(secrets: Record<string, string>, ids: readonly string[]): Promise<Record<Name, string[]>> {
  const found = {} as Record<Name, string[]>
  for (const [name, organization] of Object.entries(ORGANIZATIONS) as [Name, TestOrganization][]) {
    const answers = await everyRead(clientOf(organization), ids, Object.values(secrets))
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const events = await market.db.owner<{ line: string }[]>`
      select data::text as line from sourcing.outbox
      where tenant_id = ${organization.orgId} and type ~ '^(cases|assignments)\\.'`
    // A search must not even show that something has the text.
    const searched = answers.filter(({ path, text }) => path.includes('?q=') && /"items":\[\{/.test(text))
    found[name] = Object.entries(secrets).flatMap(([secret, text]) => {
      const isRead =
        answers.some((answer) => answer.text.includes(text)) || events.some(({ line }) => line.includes(text))
      const isSearched = searched.some(({ path }) => path.includes(encodeURIComponent(text)))
      return isRead || isSearched ? [secret] : []
    })
  }
  return found
}

test('what a draft said before its publication is found only by its consumer', async () => {
  const partId = await publishedPart(clientOf(owner))
  const rfqs = rfqsOf(clientOf(consumer))
  const secrets = { target: 'TARGET-PRICE-77', former: 'FORMER-REQUIREMENT' }
  const body = rfqBody(partId, { requirements: secrets.target, manufacturerIds: [stranger.orgId] })
  const { id } = (await rfqs.create(body)).body
  await rfqs.patch(id, { requirements: secrets.former })
  await rfqs.patch(id, { requirements: 'Balanced.', manufacturerIds: [maker.orgId] })
  await rfqs.act(id, 'publish')
  await rfqs.act(id, 'invite', { manufacturerIds: [rival.orgId] })
  await rfqs.act(id, 'extend', { expireTime: inHours(200) })
  expect(await foundBy(secrets, [id, partId])).toEqual({
    consumer: ['target', 'former'],
    owner: [],
    maker: [],
    rival: [],
    stranger: [],
  })
})

test('an invitee finds nothing new of an internal part until an amendment pins it, a former one nothing at all', async () => {
  const partId = await publishedPart(clientOf(owner), { internal: true })
  const rfqs = rfqsOf(clientOf(owner))
  const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId, rival.orgId] }))).body
  await rfqs.act(id, 'publish')
  await rfqsOf(clientOf(maker)).act(id, 'decline')
  const secrets = { title: 'ROTOR-MARK-9', description: 'ALLOY-X-41', metadata: 'METADATA-55', file: 'DRAWING-88' }
  const { title, description, metadata, file } = secrets
  await clientOf(owner).send('PATCH', `/flows/v1/parts/${partId}`, {
    body: { title, description, metadata: { note: metadata } },
  })
  const added = await new FileClient(market, clientOf(owner)).addFile(partId, 'drawing', 'document', file)
  // The title of the RFQ is refreshed a moment later for the owner alone.
  const finds = async (by: TestOrganization) =>
    (await rfqsOf(clientOf(by)).list(`?q=${title}`)).body.items.some((rfq) => rfq.id === id)
  await until(() => finds(owner), { what: 'the new title' })
  const everything = ['title', 'description', 'metadata', 'file']
  const owned = { consumer: [], owner: everything, maker: [], rival: [], stranger: [] }
  expect(await foundBy(secrets, [id, partId, added.id])).toEqual(owned)
  expect((await rfqs.act(id, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })).status).toBe(200)
  expect(await foundBy(secrets, [id, partId, added.id])).toEqual({ ...owned, rival: everything })
})

test('a consumer and a manufacturer that cooperate find no file of the group ip, whatever they do with an order', async () => {
  const partId = await publishedPart(clientOf(owner))
  const secrets = { ip: 'IP-DRAWING-17', development: 'DEVELOPMENT-23' }
  const files = new FileClient(market, clientOf(owner))
  const added = [
    await files.addFile(partId, 'a', 'ip', secrets.ip),
    await files.addFile(partId, 'b', 'development', secrets.development),
  ]
  const rfqs = rfqsOf(clientOf(consumer))
  const { id } = (await rfqs.create(rfqBody(partId, { quantities: [1], manufacturerIds: [maker.orgId] }))).body
  await rfqs.act(id, 'publish')
  const factory = await createFactory(clientOf(maker))
  const priceBreaks = [{ minQuantity: 1, unitPrice: euros('0'), leadTimeDays: 0 }]
  const { body: offer } = await offersOf(clientOf(maker)).create(offerBody(id, factory.id, { priceBreaks }))
  await offersOf(clientOf(maker)).act(offer.id, 'submit')
  await insertAgreement(market.db.owner, maker.orgId, stranger.orgId, '2.5')
  const accepted = await awardsOf(clientOf(consumer)).accept(offer.id, { quantity: 1, sellerOrgId: stranger.orgId })
  expect(accepted.status).toBe(200)
  const [order] = (await ordersOf(clientOf(maker)).list(`?partId=${partId}`)).body.items
  const ids = [id, partId, offer.id, order?.id ?? '', factory.id, ...added.map((file) => file.id)]
  const none = { consumer: [], owner: ['ip', 'development'], maker: [], rival: [], stranger: [] }
  expect(await foundBy(secrets, ids)).toEqual(none)
  for (const verb of ['confirm', 'start', 'hold', 'resume', 'inspect', 'ship'] as const) {
    const body = verb === 'hold' ? { reason: 'Later.' } : undefined
    expect((await ordersOf(clientOf(maker)).act(order?.id as string, verb, body)).status).toBe(200)
    for (const by of [maker, consumer, stranger]) {
      expect((await ordersOf(clientOf(by)).act(order?.id as string, 'release-files')).status).toBe(404)
      expect((await clientOf(by).get(`/v1/parts/${partId}/files`)).text).not.toContain(secrets.ip)
    }
  }
  expect(await foundBy(secrets, ids)).toEqual(none)
  await ordersOf(clientOf(owner)).act(order?.id as string, 'release-files')
  expect(await foundBy(secrets, ids)).toEqual({ ...none, maker: ['ip'] })
  await ordersOf(clientOf(maker)).act(order?.id as string, 'deliver')
  expect(await foundBy(secrets, ids)).toEqual(none)
})

test('an IP owner that competes finds no price, note or id of an offer of its rival before the RFQ has ended', async () => {
  const partId = await publishedPart(clientOf(owner))
  const rfqs = rfqsOf(clientOf(consumer))
  const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId, owner.orgId] }))).body
  await rfqs.act(id, 'publish')
  const [factory, own] = [await createFactory(clientOf(maker)), await createFactory(clientOf(owner))]
  const priceBreaks = [{ minQuantity: 1, unitPrice: euros('73911.37'), leadTimeDays: 1 }]
  const offers = offersOf(clientOf(maker))
  const { body } = await offers.create(offerBody(id, factory.id, { priceBreaks, notes: 'NOTE-31' }))
  await offers.act(body.id, 'submit')
  const mine = await offersOf(clientOf(owner)).create(offerBody(id, own.id))
  await offersOf(clientOf(owner)).act(mine.body.id, 'submit')
  const secrets = { price: '73911.37', note: 'NOTE-31', offer: body.id }
  // The id of the offer is not among the ids of the requests, which answers may repeat.
  const ids = [id, partId, mine.body.id, factory.id]
  const both = { consumer: ['price', 'note', 'offer'], maker: ['price', 'note', 'offer'] }
  const before = { ...both, owner: [], rival: [], stranger: [] }
  expect(await foundBy(secrets, ids)).toEqual(before)
  await rfqs.act(id, 'close')
  expect(await foundBy(secrets, ids)).toEqual(before)
  await rfqs.act(id, 'cancel', { reason: 'Sold.' })
  expect(await foundBy(secrets, ids)).toEqual({ ...before, owner: ['price', 'note', 'offer'] })
})
