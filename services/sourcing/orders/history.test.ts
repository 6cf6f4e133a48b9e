import { expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { HistoryEntry } from '../../../proto/http/sourcing/history.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const made = ordersOf(maker.administrator.client)
const isEntry = TypeCompiler.Compile(HistoryEntry)

const id = await place()
await made.act(id, 'confirm')
await made.act(id, 'hold', { reason: 'No powder.' })
await made.act(id, 'resume')
await made.act(id, 'milestones', { milestones: [{ name: 'Start' }] })

test('the history lists every change newest first, down to the creation, without users, as beta', async () => {
  const { body, headers, text } = await made.history(id)
  const items = body.items as Static<typeof HistoryEntry>[]
  expect(items.map(({ kind }) => kind)).toEqual(['UPDATE', 'UPDATE', 'UPDATE', 'UPDATE', 'CREATE'])
  expect(items.every((entry) => isEntry.Check(entry))).toBe(true)
  expect(items.slice(0, 4).map(({ changes }) => changes)).toEqual([
    [{ field: 'milestones', before: [], after: [{ name: 'Start' }] }],
    [
      { field: 'state', before: 'ON_HOLD', after: 'CONFIRMED' },
      { field: 'reason', before: 'No powder.' },
    ],
    [
      { field: 'state', before: 'CONFIRMED', after: 'ON_HOLD' },
      { field: 'reason', after: 'No powder.' },
    ],
    [{ field: 'state', before: 'PLACED', after: 'CONFIRMED' }],
  ])
  expect(headers.get('beta')).toBe('true')
  expect(text).not.toContain(maker.administrator.userId)
  expect(text).not.toContain('updatedTime')
})

test('each party reads the same history, and another organization gets 404', async () => {
  const texts = await Promise.all(
    [consumer, ipOwner, maker, seller, distributor].map(
      async ({ administrator }) => (await ordersOf(administrator.client).history(id)).text,
    ),
  )
  expect(new Set(texts).size).toBe(1)
  expect((await ordersOf(stranger.administrator.client).history(id)).status).toBe(404)
  expect((await made.history('order_unknown')).status).toBe(404)
})

test('pages of the history repeat and skip nothing', async () => {
  const pages = []
  for (const page of [1, 2, 3, 4]) pages.push((await made.history(id, `?pageSize=2&page=${page}`)).body)
  expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1, 0])
  expect(pages.flatMap(({ items }) => items)).toEqual((await made.history(id)).body.items)
})

test('the service itself can neither change nor delete an entry, nor delete an order', async () => {
  const sql = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test' })
  try {
    const refused = /permission denied/
    await expect(sql`delete from sourcing.orders where id = ${id}`.execute()).rejects.toThrow(refused)
    await expect(sql`delete from sourcing.history where record_id = ${id}`.execute()).rejects.toThrow(refused)
    await expect(sql`update sourcing.history set document = '' where record_id = ${id}`.execute()).rejects.toThrow(
      refused,
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
})
