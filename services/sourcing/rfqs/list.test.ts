import { describe, expect, test } from 'bun:test'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { inHours, publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { ipOwner, maker, rival, stranger, partId, buyer, draft, open } = await rfqParties(market)
const owner = rfqsOf(ipOwner.administrator.client)
const invited = rfqsOf(maker.administrator.client)

const idsIn = async (by: typeof buyer, query: string) => {
  const { status, body } = await by.list(`?pageSize=50&${query}`)
  expect(status).toBe(200)
  return body.items.map(({ id }) => id)
}

const valve = await publishedPart(ipOwner.administrator.client, { title: 'Välve 100%_body' })
const drafted = await draft()
const opened = await open()
const closed = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
await buyer.act(closed, 'close')
const ofValve = await open({ partId: valve })
const cancelledDraft = await draft()
await buyer.act(cancelledDraft, 'cancel', { reason: 'x' })
const published = [ofValve, closed, opened]

describe('the views of GET /v1/rfqs', () => {
  test('CONSUMER lists all states, IP_OWNER and MANUFACTURER what was published', async () => {
    expect(await idsIn(buyer, 'view=CONSUMER')).toEqual([cancelledDraft, ...published, drafted])
    expect(await idsIn(owner, 'view=IP_OWNER')).toEqual(published)
    expect(await idsIn(invited, 'view=MANUFACTURER')).toEqual(published)
    expect(await idsIn(rfqsOf(rival.administrator.client), 'view=MANUFACTURER')).toEqual([closed])
  })

  test('another view than that of the organization lists nothing', async () => {
    for (const [by, views] of [
      [buyer, ['IP_OWNER', 'MANUFACTURER']],
      [owner, ['CONSUMER', 'MANUFACTURER']],
      [invited, ['CONSUMER', 'IP_OWNER']],
      [rfqsOf(stranger.administrator.client), ['CONSUMER', 'IP_OWNER', 'MANUFACTURER']],
    ] as const) {
      for (const view of views) expect(await idsIn(by, `view=${view}`)).toEqual([])
    }
  })

  test('without a view every role is listed, each RFQ once', async () => {
    const both = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER'])
    const mine = rfqsOf(both.administrator.client)
    const ownPart = await publishedPart(both.administrator.client)
    const asConsumerAndOwner = (await mine.create(rfqBody(ownPart, { manufacturerIds: [maker.orgId, both.orgId] })))
      .body
    await mine.act(asConsumerAndOwner.id, 'publish')
    const asInvitee = await open({ manufacturerIds: [maker.orgId, both.orgId] })
    const asOwner = await open({ partId: ownPart })
    expect(await idsIn(mine, '')).toEqual([asOwner, asInvitee, asConsumerAndOwner.id])
    const pages = []
    for (const page of [1, 2, 3]) pages.push((await mine.list(`?pageSize=1&page=${page}`)).body)
    expect(pages.map(({ items, hasMore }) => [items[0]?.id, hasMore])).toEqual([
      [asOwner, true],
      [asInvitee, true],
      [asConsumerAndOwner.id, false],
    ])
    expect((await mine.list('?pageSize=1&page=2&state=OPEN')).body.items[0]?.id).toBe(asInvitee)
    // In each role it sees the list of manufacturers of that role.
    const listed = (await mine.list('')).body.items
    expect(listed.map(({ manufacturerIds }) => manufacturerIds.length)).toEqual([1, 1, 2])
  })

  test('each item equals the JSON of GET /v1/rfqs/{id} for this organization', async () => {
    for (const by of [buyer, owner, invited]) {
      for (const item of (await by.list('?pageSize=50')).body.items) {
        expect<unknown>((await by.read(item.id)).body).toEqual(item)
      }
    }
  })

  test('an undeclared view or state is 400', async () => {
    for (const query of ['?view=SELLER', '?state=EXPIRED', '?view=consumer', '?excludeDrafts=yes']) {
      expect((await buyer.list(query)).status).toBe(400)
    }
  })
})

describe('the filters of GET /v1/rfqs', () => {
  test('state limits the list', async () => {
    for (const view of ['', '&view=CONSUMER']) {
      expect(await idsIn(buyer, `state=DRAFT${view}`)).toEqual([drafted])
      expect(await idsIn(buyer, `state=CLOSED${view}`)).toEqual([closed])
      expect(await idsIn(buyer, `state=CANCELLED${view}`)).toEqual([cancelledDraft])
    }
    expect(await idsIn(invited, 'state=CLOSED')).toEqual(expect.arrayContaining([closed]))
    expect(await idsIn(owner, 'state=DRAFT')).toEqual([])
  })

  test('partId limits the list; one that names no part lists nothing', async () => {
    for (const by of [buyer, owner, invited]) expect(await idsIn(by, `partId=${valve}`)).toEqual([ofValve])
    expect(await idsIn(buyer, 'partId=part_unknown')).toEqual([])
  })

  test('excludeDrafts omits drafts, and its value false counts as not sent', async () => {
    for (const view of ['', '&view=CONSUMER']) {
      expect(await idsIn(buyer, `excludeDrafts=true${view}`)).not.toContain(drafted)
      expect(await idsIn(buyer, `excludeDrafts=true${view}`)).toContain(cancelledDraft)
      expect(await idsIn(buyer, `excludeDrafts=false${view}`)).toContain(drafted)
    }
  })

  test('excludeExpired omits RFQs of any state whose expiry has passed, before a worker marks them', async () => {
    const expired = await draft({ expireTime: inHours(-1) })
    for (const view of ['', '&view=CONSUMER']) {
      const ids = await idsIn(buyer, `excludeExpired=true${view}`)
      expect(ids).not.toContain(expired)
      expect(ids).toContain(drafted)
      expect(await idsIn(buyer, `excludeExpired=false${view}`)).toContain(expired)
    }
    await buyer.patch(expired, { expireTime: inHours(1) })
    expect(await idsIn(buyer, 'excludeExpired=true')).toContain(expired)
    await buyer.remove(expired)
  })
})

test('consecutive pages repeat and skip nothing while RFQs are created', async () => {
  const other = await market.organization(['CONSUMER'])
  const mine = rfqsOf(other.administrator.client)
  const create = async () => (await mine.create(rfqBody(partId))).body.id
  for (let n = 0; n < 7; n++) await create()
  for (const filter of ['', '&view=CONSUMER', '&q=impeller', '&q=im']) {
    const expected = await idsIn(mine, filter.slice(1))
    const read: Rfq[] = []
    for (let page = 1; ; page++) {
      const { body } = await mine.list(`?pageSize=3&page=${page}${filter}`)
      read.push(...body.items)
      if (!body.hasMore) break
      await create()
    }
    expect(read.map(({ id }) => id)).toEqual(expected)
  }
})
