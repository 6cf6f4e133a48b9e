import { expect, test } from 'bun:test'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], { DATABASE_POOL_SIZE: '8' })
const searcher = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])

test('many concurrent searches of one organization leave connections for other organizations', async () => {
  const searches: Promise<{ status: number }>[] = []
  await market.db.owner.begin(async (tx) => {
    // No search ends before this transaction.
    await tx`lock table sourcing.parts in access exclusive mode`
    for (let n = 0; n < 20; n++) searches.push(searcher.administrator.client.get(`/v1/parts?q=word${n}`))
    await until(
      async () => {
        const [row] = await tx<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_locks where relation = 'sourcing.parts'::regclass and not granted`
        return row?.waiting === 2
      },
      { what: 'a quarter of the connections for searches of one organization' },
    )
    const upload = await other.administrator.client.post('/v1/uploads', { name: 'impeller.stl' })
    expect(upload.status).toBe(200)
  })
  for (const { status } of await Promise.all(searches)) expect(status).toBe(200)
})

test('many concurrent far pages of a history leave connections for other organizations', async () => {
  const { client } = searcher.administrator
  const { id } = (await client.post<{ id: string }>('/v1/parts', { title: 'Impeller' })).body
  const pages: Promise<{ status: number }>[] = []
  await market.db.owner.begin(async (tx) => {
    // No page ends before this transaction.
    await tx`lock table sourcing.history in access exclusive mode`
    for (let n = 0; n < 20; n++) pages.push(client.get(`/v1/parts/${id}/history?page=${100 + n}`))
    await until(
      async () => {
        const [row] = await tx<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_locks where relation = 'sourcing.history'::regclass and not granted`
        return row?.waiting === 2
      },
      { what: 'a quarter of the connections for far pages of one organization' },
    )
    expect((await other.administrator.client.get('/v1/parts')).status).toBe(200)
  })
  for (const { status } of await Promise.all(pages)) expect(status).toBe(200)
})

test('many concurrent changes by one organization leave connections for other organizations', async () => {
  const { client } = searcher.administrator
  const { id } = (await client.post<{ id: string }>('/v1/parts', { title: 'Impeller' })).body
  const patches: Promise<{ status: number }>[] = []
  await market.db.owner.begin(async (tx) => {
    // No change of this part ends before this transaction.
    await tx`select id from sourcing.parts where id = ${id} for update`
    for (let n = 0; n < 20; n++)
      patches.push(client.send('PATCH', `/flows/v1/parts/${id}`, { body: { title: `Impeller ${n}` } }))
    await until(
      async () => {
        const [row] = await tx<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and usename = 'marketplace_sourcing' and wait_event_type = 'Lock'`
        return row?.waiting === 4
      },
      { what: 'half of the connections for changes of one organization' },
    )
    const upload = await other.administrator.client.post('/v1/uploads', { name: 'impeller.stl' })
    expect(upload.status).toBe(200)
  })
  for (const { status } of await Promise.all(patches)) expect(status).toBe(200)
})
