import { describe, expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { HistoryEntry } from '../../../proto/http/sourcing/history.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { inHours, rfqParties } from '../../testing/rfqs.ts'

type Entry = Static<typeof HistoryEntry>

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, draft, open } = await rfqParties(market)
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

  test('consumer and IP owner see the whole history', async () => {
    const id = await changed()
    const [whole, owners] = await Promise.all([history(id, consumer), history(id, ipOwner)])
    expect(owners.text).toBe(whole.text)
    expect(valuesOf(whole.body.items, 'manufacturerIds')).toEqual([
      [undefined, []],
      [[], [maker.orgId]],
      [[maker.orgId], [maker.orgId, rival.orgId]],
    ])
    expect(valuesOf(whole.body.items, 'state')).toEqual([
      [undefined, 'DRAFT'],
      ['DRAFT', 'OPEN'],
      ['OPEN', 'CLOSED'],
    ])
  })

  test('a manufacturer sees itself alone in manufacturerIds, before and after, and no entry of other invitations', async () => {
    const id = await changed()
    const [first, second] = [await entriesOf(id, maker), await entriesOf(id, rival)]
    expect(valuesOf(first, 'manufacturerIds')).toEqual([
      [undefined, []],
      [[], [maker.orgId]],
    ])
    expect(valuesOf(second, 'manufacturerIds')).toEqual([
      [undefined, []],
      [[], [rival.orgId]],
    ])
    expect([first.length, second.length]).toEqual([4, 5])
    expect(JSON.stringify(first)).not.toContain(rival.orgId)
    expect(JSON.stringify(second)).not.toContain(maker.orgId)
    expect([...first, ...second].every((entry) => isEntry.Check(entry) && entry.changes.length > 0)).toBe(true)
    // The other fields of an entry with a hidden change remain.
    expect(valuesOf(second, 'quantities')).toEqual(valuesOf(await entriesOf(id, consumer), 'quantities'))
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
      [2, false],
      [0, false],
    ])
    expect(pages.flatMap(({ items }) => items.map((entry) => entry.id))).toEqual(
      (await entriesOf(id, maker)).map((entry) => entry.id),
    )
  })

  test('a draft has a history for its consumer alone; an uninvited manufacturer and a stranger get 404', async () => {
    const id = await draft()
    const statuses = async () =>
      Promise.all([consumer, ipOwner, maker, rival, stranger].map(async (org) => (await history(id, org)).status))
    expect(await statuses()).toEqual([200, 404, 404, 404, 404])
    await buyer.act(id, 'publish')
    expect(await statuses()).toEqual([200, 200, 200, 404, 404])
  })
})
