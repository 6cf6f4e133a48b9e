import { expect, test } from 'bun:test'
import { captureLog } from '../../testing/captured-log.ts'
import { testDatabase } from '../../testing/database.ts'
import type { Tx } from '../db/client.ts'
import { createLog } from '../log/log.ts'
import { type Due, drainIn, inBatches } from './batches.ts'

const { owner: sql } = await testDatabase()
const { signal } = new AbortController()

test('a due record that fails is left for the next round, and those before and behind it are handled', async () => {
  await sql`create table due_records (id text primary key, handled integer not null default 0)`
  await sql`insert into due_records (id) select 'record_' || n from generate_series(1, 9) n`
  const { destination, errors } = captureLog()
  const log = createLog({ service: 'sourcing', version: '0', level: 'info', destination })
  const take = (tx: Tx, { limit, except }: Due) => tx<{ id: string }[]>`
    update due_records set handled = handled + 1 where id = any(array(
      select id from due_records where handled = 0 and id <> all(${[...except]}) order by id limit ${limit}))
    returning id`
  const round = (defects: readonly string[]) =>
    drainIn({ sql, log, now: () => '', signal, limit: 4 }, take, async (_tx, rows) => {
      if (rows.some(({ id }) => defects.includes(id))) throw new Error('a defect')
    })
  const left = async () =>
    (await sql<{ id: string }[]>`select id from due_records where handled <> 1 order by id`).map(({ id }) => id)
  await round(['record_2', 'record_7'])
  expect(await left()).toEqual(['record_2', 'record_7'])
  expect(errors().map(({ id }) => id)).toEqual(['record_2', 'record_7'])
  await round([])
  expect(await left()).toEqual([])
  const outage = new Error('an outage')
  const failing = drainIn(
    { sql, log, now: () => '', signal, limit: 4 },
    () => Promise.reject(outage),
    async () => {},
  )
  expect(await failing.catch((error) => error)).toBe(outage)
})

test('batches continue until one is not full', async () => {
  const counts = [5, 5, 2, 5]
  expect(await inBatches({ limit: 5, signal }, async () => ({ count: counts.shift() ?? 0 }))).toBe(12)
  expect(counts).toEqual([5])
})

test('the deletion ends after the maximum number of batches', async () => {
  expect(await inBatches({ limit: 5, signal }, async (limit) => ({ count: limit }))).toBe(100)
})

test('no batch starts after the signal', async () => {
  const stopping = new AbortController()
  const stopped = inBatches({ limit: 5, signal: stopping.signal }, async (limit) => {
    stopping.abort()
    return { count: limit }
  })
  expect(await stopped).toBe(5)
})
