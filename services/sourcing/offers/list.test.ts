import { describe, expect, test } from 'bun:test'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, open, factory, rivalFactory, seller, draftOffer, submittedOffer } =
  parties
const receiver = offersOf(consumer.administrator.client)
const owner = offersOf(ipOwner.administrator.client)
const competitor = offersOf(rival.administrator.client)

const idsIn = async (by: typeof seller, query: string) => {
  const { status, body } = await by.list(`?pageSize=50&${query}`)
  expect(status).toBe(200)
  return body.items.map(({ id }) => id)
}

const valve = await publishedPart(ipOwner.administrator.client, { title: 'Valve body' })
const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
const rfqOfValve = await open({ partId: valve })
const drafted = await draftOffer({}, rfqId)
const withdrawn = await submittedOffer({}, rfqId)
await seller.act(withdrawn, 'withdraw')
const submitted = await submittedOffer({}, rfqId)
const ofValve = await submittedOffer({}, rfqOfValve)
const accepted = await submittedOffer({}, rfqId)
await market.db.owner`update sourcing.offers set state = 'ACCEPTED' where id = ${accepted}`
const { id: ofRival } = (await competitor.create(offerBody(rfqId, rivalFactory.id))).body
await competitor.act(ofRival, 'submit')

describe('the views of GET /v1/offers', () => {
  test('MANUFACTURER lists own offers with drafts, CONSUMER and IP_OWNER what was submitted', async () => {
    const published = [ofRival, accepted, ofValve, submitted, withdrawn]
    expect(await idsIn(seller, 'view=MANUFACTURER')).toEqual([accepted, ofValve, submitted, withdrawn, drafted])
    expect(await idsIn(receiver, 'view=CONSUMER')).toEqual(published)
    expect(await idsIn(owner, 'view=IP_OWNER')).toEqual(published)
    expect(await idsIn(competitor, 'view=MANUFACTURER')).toEqual([ofRival])
  })

  test('another view than that of the organization lists nothing', async () => {
    for (const [by, views] of [
      [receiver, ['IP_OWNER', 'MANUFACTURER']],
      [owner, ['CONSUMER', 'MANUFACTURER']],
      [seller, ['CONSUMER', 'IP_OWNER']],
      [offersOf(stranger.administrator.client), ['CONSUMER', 'IP_OWNER', 'MANUFACTURER']],
    ] as const) {
      for (const view of views) expect(await idsIn(by, `view=${view}`)).toEqual([])
    }
  })

  test('without a view every role is listed, each offer once', async () => {
    const all = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER'])
    const { client } = all.administrator
    const [mine, myFactory, myPart] = [offersOf(client), await createFactory(client), await publishedPart(client)]
    const myRfqs = rfqsOf(client)
    const { id: ownRfq } = (await myRfqs.create(rfqBody(myPart, { manufacturerIds: [all.orgId], sealed: true }))).body
    await myRfqs.act(ownRfq, 'publish')
    const { id: inEachRole } = (await mine.create(offerBody(ownRfq, myFactory.id))).body
    await mine.act(inEachRole, 'submit')
    const foreignRfq = await open({ manufacturerIds: [all.orgId, maker.orgId] })
    const { id: asMaker } = (await mine.create(offerBody(foreignRfq, myFactory.id))).body
    const asOwner = await submittedOffer({}, await open({ partId: myPart }))
    expect(await idsIn(mine, '')).toEqual([asOwner, asMaker, inEachRole])
    const pages = []
    for (const page of [1, 2, 3]) pages.push((await mine.list(`?pageSize=1&page=${page}`)).body)
    expect(pages.map(({ items, hasMore }) => [items[0]?.id, hasMore])).toEqual([
      [asOwner, true],
      [asMaker, true],
      [inEachRole, false],
    ])
    // Its own prices are not concealed from it, in whichever role it lists the offer.
    for (const view of ['', 'view=CONSUMER', 'view=IP_OWNER', 'view=MANUFACTURER']) {
      const { items } = (await mine.list(`?rfqId=${ownRfq}&${view}`)).body
      expect(items.map((offer) => [offer.id, offer.priceBreaks?.length])).toEqual([[inEachRole, 2]])
    }
  })

  test('each item equals the JSON of GET /v1/offers/{id} for this organization', async () => {
    await submittedOffer({}, await open({ sealed: true }))
    for (const by of [receiver, owner, seller]) {
      const { items } = (await by.list('?pageSize=50')).body
      expect(items.length).toBeGreaterThan(5)
      for (const item of items) expect<unknown>((await by.read(item.id)).body).toEqual(item)
    }
  })

  test('an undeclared view, state or activated is 400', async () => {
    for (const query of ['?view=SELLER', '?state=OPEN', '?view=consumer', '?activated=yes', '?activated=1']) {
      expect((await seller.list(query)).status).toBe(400)
    }
  })
})

describe('the filters of GET /v1/offers', () => {
  const [atRfq, views] = [`rfqId=${rfqId}`, ['', '&view=CONSUMER']]

  test('rfqId limits the list; one that names no RFQ lists nothing', async () => {
    expect(await idsIn(seller, atRfq)).toEqual([accepted, submitted, withdrawn, drafted])
    for (const view of views) {
      expect(await idsIn(receiver, `${atRfq}${view}`)).toEqual([ofRival, accepted, submitted, withdrawn])
      expect(await idsIn(receiver, `rfqId=rfq_unknown${view}`)).toEqual([])
    }
    expect(await idsIn(offersOf(stranger.administrator.client), atRfq)).toEqual([])
  })

  test('partId limits the list; one that names no part lists nothing', async () => {
    for (const by of [receiver, owner, seller]) expect(await idsIn(by, `partId=${valve}`)).toEqual([ofValve])
    expect(await idsIn(receiver, 'partId=part_unknown')).toEqual([])
  })

  test('state limits the list', async () => {
    for (const view of views) {
      expect(await idsIn(receiver, `${atRfq}&state=SUBMITTED${view}`)).toEqual([ofRival, submitted])
      expect(await idsIn(receiver, `${atRfq}&state=DRAFT${view}`)).toEqual([])
    }
    expect(await idsIn(seller, `${atRfq}&state=DRAFT`)).toEqual([drafted])
  })

  test('activated=true lists ACCEPTED offers, activated=false those in every other state', async () => {
    for (const view of views) {
      expect(await idsIn(receiver, `${atRfq}&activated=true${view}`)).toEqual([accepted])
      expect(await idsIn(receiver, `${atRfq}&activated=false${view}`)).toEqual([ofRival, submitted, withdrawn])
    }
    expect(await idsIn(seller, `${atRfq}&activated=false`)).toEqual([submitted, withdrawn, drafted])
  })

  test('activated with a state that contradicts it lists nothing, and with another state changes nothing', async () => {
    for (const view of views) {
      expect(await idsIn(receiver, `activated=true&state=SUBMITTED${view}`)).toEqual([])
      expect(await idsIn(receiver, `activated=false&state=ACCEPTED${view}`)).toEqual([])
      expect(await idsIn(receiver, `activated=true&state=ACCEPTED${view}`)).toEqual([accepted])
      expect(await idsIn(receiver, `activated=false&state=WITHDRAWN${view}`)).toEqual([withdrawn])
    }
  })

  test('a response to activated has Deprecation, others do not', async () => {
    const deprecated = await Promise.all(['true', 'false'].map((value) => seller.list(`?activated=${value}`)))
    for (const { headers } of deprecated) expect(headers.get('deprecation')).toBe('@1795305600')
    expect((await seller.list('?state=ACCEPTED')).headers.has('deprecation')).toBe(false)
    expect(new Date(1_795_305_600_000).toISOString()).toBe('2026-11-22T00:00:00.000Z')
  })
})

test('consecutive pages repeat and skip nothing while offers are created', async () => {
  const fresh = await open()
  for (let n = 0; n < 7; n++) await draftOffer({}, fresh)
  for (const filter of [`&rfqId=${fresh}`, `&rfqId=${fresh}&view=MANUFACTURER`, `&rfqId=${fresh}&state=DRAFT`]) {
    const expected = await idsIn(seller, filter.slice(1))
    const read: string[] = []
    for (let page = 1; ; page++) {
      const { body } = await seller.list(`?pageSize=3&page=${page}${filter}`)
      read.push(...body.items.map(({ id }) => id))
      if (!body.hasMore) break
      await draftOffer({}, fresh)
    }
    expect(read).toEqual(expected)
  }
})

test('a user without any permission lists the offers of its organization', async () => {
  const member = await maker.member([])
  expect(await idsIn(offersOf(member.client), `rfqId=${rfqId}`)).toEqual([accepted, submitted, withdrawn, drafted])
  expect((await offersOf(member.client).create(offerBody(rfqId, factory.id))).status).toBe(403)
})
