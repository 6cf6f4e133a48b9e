import { describe, expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { HistoryEntry } from '../../../proto/http/sourcing/history.ts'
import { connect } from '../../kit/db/client.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

type Entry = Static<typeof HistoryEntry>

const market = await marketplaceOf(['sourcing'], RACING)
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER', 'CONSUMER'])
const { client } = owner.administrator
const isEntry = TypeCompiler.Compile(HistoryEntry)

async function created(body: object = { title: 'Impeller', materialType: 'metal' }): Promise<string> {
  return (await client.post<{ id: string }>('/v1/parts', body)).body.id
}
const patch = (id: string, body: object) => client.send('PATCH', `/flows/v1/parts/${id}`, { body })
const history = (id: string, query = '', by: ApiClient = client) =>
  by.get<{ items: Entry[]; hasMore: boolean }>(`/v1/parts/${id}/history${query}`)
const changesOf = async (id: string) => (await history(id)).body.items[0]?.changes

describe('GET /v1/parts/{id}/history', () => {
  test('lists entries newest first, down to the creation, without users', async () => {
    const id = await created()
    await patch(id, { title: 'Renamed' })
    await client.post(`/flows/v1/parts/${id}/publish`)
    const { body, headers, text } = await history(id)
    expect(body.items.map(({ kind }) => kind)).toEqual(['UPDATE', 'UPDATE', 'CREATE'])
    expect(body.items.every((entry) => isEntry.Check(entry))).toBe(true)
    expect(headers.get('beta')).toBe('true')
    expect(text).not.toContain(owner.administrator.userId)
    const times = body.items.map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('shows fields by their public names with their JSON values; revision and updatedTime are omitted', async () => {
    const id = await created()
    await patch(id, {
      title: 'Renamed',
      boundingBox: { x: 1.5 },
      internal: true,
      materialType: null,
      materialId: '316l',
    })
    expect(await changesOf(id)).toEqual([
      { field: 'title', before: 'Impeller', after: 'Renamed' },
      { field: 'materialType', before: 'metal' },
      { field: 'materialId', after: '316l' },
      { field: 'boundingBox', after: { x: 1.5 } },
      { field: 'internal', before: false, after: true },
    ])
  })

  test('a changed list is one change, and so is changed metadata', async () => {
    const id = await created({ title: 'x', keywords: ['a', 'b'], metadata: { a: '1' } })
    await patch(id, { keywords: ['b', 'c'], metadata: { a: '2', b: '3' } })
    expect(await changesOf(id)).toEqual([
      { field: 'keywords', before: ['a', 'b'], after: ['b', 'c'] },
      { field: 'metadata', before: { a: '1' }, after: { a: '2', b: '3' } },
    ])
  })

  test('the creation contains the initial fields, also those that only the owner sees', async () => {
    const { items } = (await history(await created({ title: 'Whole', keywords: ['k'] }))).body
    const fields = new Map(items[0]?.changes.map(({ field, after }) => [field, after]))
    expect(fields.get('title')).toBe('Whole')
    expect(fields.get('keywords')).toEqual(['k'])
    expect(fields.get('businessUnitIds')).toEqual([])
    expect(fields.has('revision')).toBe(false)
  })

  test('a patch without a change adds no entry', async () => {
    const id = await created()
    await patch(id, {})
    expect((await history(id)).body.items).toHaveLength(1)
  })

  test('new technologies of a process add no entry, another process adds one', async () => {
    const id = await created({ title: 'x', processId: 'pbf-metal' })
    await market.db.owner`update sourcing.parts set technology_ids = '{pbf-lb-m}' where id = ${id}`
    expect((await history(id)).body.items).toHaveLength(1)
    await patch(id, { processId: null })
    expect((await changesOf(id))?.map(({ field }) => field)).toEqual(['processId', 'technologyIds'])
  })

  test('is paged', async () => {
    const id = await created()
    for (const title of ['2', '3', '4', '5']) await patch(id, { title })
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => history(id, `?pageSize=2&page=${page}`)))
    expect(pages.map(({ body }) => [body.items.length, body.hasMore])).toEqual([
      [2, true],
      [2, true],
      [1, false],
      [0, false],
    ])
    const titles = pages.flatMap(({ body }) =>
      body.items.map(({ changes }) => changes.find(({ field }) => field === 'title')?.after),
    )
    expect(titles).toEqual(['5', '4', '3', '2', 'Impeller'])
  })

  test('consecutive pages repeat and skip nothing while the part is changed', async () => {
    const id = await created()
    for (let n = 1; n <= 7; n++) await patch(id, { title: `Impeller ${n}` })
    const expected = (await history(id, '?pageSize=50')).body.items
    const read: Entry[] = []
    for (let page = 1; ; page++) {
      const { body } = await history(id, `?pageSize=3&page=${page}`)
      read.push(...body.items)
      if (!body.hasMore) break
      await patch(id, { title: `Changed while page ${page} was read` })
    }
    expect(read).toEqual(expected)
  })

  test('after concurrent changes, each entry starts with the values that the previous one ended with', async () => {
    const id = await created()
    await Promise.all(Array.from({ length: 20 }, (_, n) => patch(id, { title: `Title ${n}` })))
    const { items } = (await history(id, '?pageSize=50')).body
    expect(items).toHaveLength(21)
    const titles = items.map(({ changes }) => changes.find(({ field }) => field === 'title'))
    for (const [at, title] of titles.slice(0, -1).entries()) expect(title?.before).toEqual(titles[at + 1]?.after)
  })

  test('has ids that sort as the entries do and reveal nothing about other records', async () => {
    const id = await created()
    const entries = 500
    await market.db.owner`
      select sourcing.add_history(${id}, 'UPDATE', json_build_array(json_build_object('field', n::text))::text)
      from generate_series(1, ${entries}) n`
    const rows = await market.db.owner<{ id: string; timestamp: string; field: string }[]>`
      select id, timestamp, document::json #>> '{changes,0,field}' as field from sourcing.history
      where record_id = ${id} order by timestamp desc, id desc limit ${entries}`
    expect(rows.map(({ field }) => Number(field))).toEqual(Array.from({ length: entries }, (_, n) => entries - n))
    expect(rows.map((row) => row.id)).toEqual(
      rows
        .map((row) => row.id)
        .toSorted()
        .reverse(),
    )
    // Several entries share a millisecond, so the order is not tested by the clock alone.
    expect(new Set(rows.map(({ timestamp }) => timestamp)).size).toBeLessThan(entries)
    for (const row of rows) expect(row.id).toMatch(/^history_[0-9A-HJKMNP-TV-Z]{26}$/)
    const random = rows.map((row) => row.id.slice(-12))
    expect(new Set(random.map((digits) => digits.slice(0, 4))).size).toBeGreaterThan(entries * 0.9)
    expect(random).not.toEqual(random.toSorted().reverse())
  })

  test('is readable only by the IP owner, published or not; a deleted part is 404', async () => {
    const id = await created()
    expect((await history(id, '', stranger.administrator.client)).status).toBe(404)
    await client.post(`/flows/v1/parts/${id}/publish`)
    expect((await history(id, '', stranger.administrator.client)).status).toBe(404)
    expect((await history(id)).status).toBe(200)
    await client.send('DELETE', `/flows/v1/parts/${id}`)
    expect((await history(id)).status).toBe(404)
    const [kept] = await market.db.owner<{ document: string }[]>`
      select document from sourcing.history where record_id = ${id} order by timestamp desc, id desc limit 1`
    expect(JSON.parse(kept?.document ?? '{}').kind).toBe('DELETE')
  })
})

describe('the role of the service', () => {
  const service = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'history-test' })
  market.db.beforeDrop(() => service.end({ timeout: 1 }))

  test('can neither write, rewrite nor delete an entry, in the table or in a partition', async () => {
    await created()
    const [month] = await market.db.owner<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'sourcing.history'::regclass and inhrelid::regclass::text ~ to_char(now(), 'YYYY_MM')`
    for (const table of ['sourcing.history', 'sourcing.history_default', month?.name ?? 'none']) {
      for (const statement of [
        `update ${table} set document = '{}'`,
        `delete from ${table}`,
        `truncate ${table}`,
        `insert into ${table} (id, record_id, timestamp, document) values ('a', 'b', now(), '{}')`,
        `drop table ${table}`,
        `alter table sourcing.history detach partition ${month?.name}`,
      ]) {
        await expect(service.unsafe(statement).then(() => statement)).rejects.toThrow(/permission denied|must be owner/)
      }
    }
    await expect(service`select sourcing.add_history('part_1', 'UPDATE', '[]')`.then(() => 'forged')).rejects.toThrow(
      /permission denied/,
    )
    await expect(service.unsafe('alter table sourcing.parts disable trigger part_history')).rejects.toThrow(
      /must be owner/,
    )
  })

  test('can create partitions of the history ahead, and of no other table', async () => {
    const [result] = await service<{ created: number }[]>`select ensure_month_partitions('history', 5) as created`
    expect(result?.created).toBe(2)
    for (const table of ['parts', 'nothing']) {
      await expect(service`select ensure_month_partitions(${table}, 1)`.then(() => table)).rejects.toThrow(
        /partitioned/,
      )
    }
  })
})
