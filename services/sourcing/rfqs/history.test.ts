import { describe, expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { HistoryEntry } from '../../../proto/http/sourcing/history.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { inHours, publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

type Entry = Static<typeof HistoryEntry>

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, partId, buyer, draft, open } = await rfqParties(market)
const isEntry = TypeCompiler.Compile(HistoryEntry)

const history = (id: string, { administrator }: TestOrganization, query = '') =>
  administrator.client.get<{ items: Entry[]; hasMore: boolean }>(`/v1/rfqs/${id}/history${query}`)
const entriesOf = async (id: string, by: TestOrganization) => (await history(id, by, '?pageSize=50')).body.items

/** The values of one field, oldest first, with `undefined` for none. */
const valuesOf = (entries: Entry[], field: string) =>
  entries.toReversed().flatMap(({ changes }) => {
    const change = changes.find((one) => one.field === field)
    return change ? [[change.before, change.after]] : []
  })

/** An RFQ with two invitees; the second is invited after the publication. */
async function changed(): Promise<string> {
  const id = await draft({ manufacturerIds: [] })
  await buyer.patch(id, { manufacturerIds: [maker.orgId], quantities: [3] })
  await buyer.act(id, 'publish')
  await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })
  await buyer.act(id, 'close')
  return id
}

describe('GET /v1/rfqs/{id}/history', () => {
  test('lists entries newest first, down to the creation, without users, as beta', async () => {
    const id = await changed()
    const { body, headers, text } = await history(id, consumer)
    expect(body.items.map(({ kind }) => kind)).toEqual(['UPDATE', 'UPDATE', 'UPDATE', 'UPDATE', 'CREATE'])
    expect(body.items.every((entry) => isEntry.Check(entry))).toBe(true)
    expect(headers.get('beta')).toBe('true')
    expect(text).not.toContain(consumer.administrator.userId)
    expect(text).not.toContain('updatedTime')
  })

  test('the consumer sees the whole history, the IP owner that from the publication on', async () => {
    const id = await changed()
    const [whole, owners] = [await entriesOf(id, consumer), await entriesOf(id, ipOwner)]
    expect(valuesOf(whole, 'manufacturerIds')).toEqual([
      [undefined, []],
      [[], [maker.orgId]],
      [[maker.orgId], [maker.orgId, rival.orgId]],
    ])
    expect(valuesOf(whole, 'state')).toEqual([
      [undefined, 'DRAFT'],
      ['DRAFT', 'OPEN'],
      ['OPEN', 'CLOSED'],
    ])
    expect(valuesOf(owners, 'manufacturerIds')).toEqual([
      [undefined, [maker.orgId]],
      [[maker.orgId], [maker.orgId, rival.orgId]],
    ])
    expect(valuesOf(owners, 'state')).toEqual([
      [undefined, 'OPEN'],
      ['OPEN', 'CLOSED'],
    ])
    expect(owners.slice(0, 2)).toEqual(whole.slice(0, 2))
    expect(owners.map((entry) => entry.id)).toEqual(whole.slice(0, 3).map((entry) => entry.id))
  })

  test('what a draft said before the publication is only in the history of the consumer', async () => {
    const part = await publishedPart(ipOwner.administrator.client, { title: 'Another' })
    const secret = { requirements: 'INTERNAL: target price 77 EUR', quantities: [77_777], currency: 'NOK' }
    const id = await draft({ ...secret, partId: part, manufacturerIds: [stranger.orgId], deliveryRegionCode: 'IS' })
    const published = { requirements: null, quantities: [5], currency: 'EUR', deliveryRegionCode: 'DK', partId }
    await buyer.patch(id, { ...published, incoterm: 'DAP', manufacturerIds: [maker.orgId] })
    await buyer.act(id, 'publish')
    await buyer.act(id, 'extend', { expireTime: inHours(100) })
    // The count of unanswered questions is no field of the history.
    const { awardedOfferIds, updatedTime, unansweredQuestions, ...content } = (await buyer.read(id)).body
    for (const by of [ipOwner, maker]) {
      const { text, body } = await history(id, by)
      for (const former of ['target', '77777', 'NOK', stranger.orgId, '"IS"', part, 'DRAFT']) {
        expect(text).not.toContain(former)
      }
      const [extended, first, ...others] = body.items
      expect([others, extended?.kind, first?.kind]).toEqual([[], 'UPDATE', 'CREATE'])
      const shown = Object.fromEntries(first?.changes.map(({ field, after }) => [field, after]) ?? [])
      expect<object>(shown).toEqual({ ...content, awardedOfferIds: [], expireTime: shown.expireTime })
      expect(shown.expireTime).not.toBe(content.expireTime)
      expect(first?.changes.every((change) => !('before' in change))).toBe(true)
    }
    expect((await history(id, consumer)).text).toContain('target price 77 EUR')
  })

  test('a manufacturer that is invited later reads the history from the publication on', async () => {
    const id = await draft({ requirements: 'INTERNAL' })
    await buyer.patch(id, { requirements: 'Balanced.' })
    await buyer.act(id, 'publish')
    await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })
    const [last, first, ...others] = await entriesOf(id, rival)
    expect(last?.changes).toEqual([{ field: 'manufacturerIds', before: [], after: [rival.orgId] }])
    expect([others, first?.kind]).toEqual([[], 'CREATE'])
    expect(first?.changes).toContainEqual({ field: 'requirements', after: 'Balanced.' })
  })

  test('a consumer that is the IP owner too, or invited, sees the whole history', async () => {
    const both = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER'])
    const own = rfqsOf(both.administrator.client)
    const part = await publishedPart(both.administrator.client)
    const { id } = (await own.create(rfqBody(part, { manufacturerIds: [both.orgId], requirements: 'First.' }))).body
    await own.patch(id, { requirements: 'Second.' })
    await own.act(id, 'publish')
    expect(valuesOf(await entriesOf(id, both), 'requirements')).toEqual([
      [undefined, 'First.'],
      ['First.', 'Second.'],
    ])
  })

  test('a manufacturer sees only itself in manufacturerIds, before and after, and no entry of other invitations', async () => {
    const id = await changed()
    const [first, second] = [await entriesOf(id, maker), await entriesOf(id, rival)]
    expect(valuesOf(first, 'manufacturerIds')).toEqual([[undefined, [maker.orgId]]])
    expect(valuesOf(second, 'manufacturerIds')).toEqual([
      [undefined, []],
      [[], [rival.orgId]],
    ])
    expect([first.length, second.length]).toEqual([2, 3])
    expect(JSON.stringify(first)).not.toContain(rival.orgId)
    expect(JSON.stringify(second)).not.toContain(maker.orgId)
    expect([...first, ...second].every((entry) => isEntry.Check(entry) && entry.changes.length > 0)).toBe(true)
    // The other fields of an entry with a hidden change remain.
    expect(valuesOf(second, 'quantities')).toEqual([[undefined, [3]]])
  })

  test('pages of a manufacturer are as long as those of the consumer', async () => {
    const id = await open()
    for (let n = 1; n <= 4; n++) {
      const late = await market.organization(['MANUFACTURER'])
      await buyer.act(id, 'invite', { manufacturerIds: [late.orgId] })
      await buyer.act(id, 'extend', { expireTime: inHours(100 + n) })
    }
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push((await history(id, maker, `?pageSize=2&page=${page}`)).body)
    expect(pages.map(({ items, hasMore }) => [items.length, hasMore])).toEqual([
      [2, true],
      [2, true],
      [1, false],
      [0, false],
    ])
    expect(pages.flatMap(({ items }) => items.map((entry) => entry.id))).toEqual(
      (await entriesOf(id, maker)).map((entry) => entry.id),
    )
  })

  test('a draft has a history only for its consumer; an uninvited manufacturer and a stranger get 404', async () => {
    const id = await draft()
    const statuses = async () =>
      Promise.all([consumer, ipOwner, maker, rival, stranger].map(async (org) => (await history(id, org)).status))
    expect(await statuses()).toEqual([200, 404, 404, 404, 404])
    await buyer.act(id, 'publish')
    expect(await statuses()).toEqual([200, 200, 200, 404, 404])
  })
})
