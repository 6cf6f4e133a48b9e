import { expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { testDatabase } from '../../testing/database.ts'
import { cleanUpDeliveries, failAbandonedDeliveries, maintainPartitions } from './cleanup.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('webhooks'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const running = new AbortController().signal

const insert = async (days: number, state: string) => {
  const id = newId('dlv')
  await sql`
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at)
    values (${id}, 'org_1', ${newId('wh')}, ${newId('evt')}, now() - make_interval(days => ${days}), 'cases.created',
      ${state}, now(), now())`
  return id
}

test('deliveries of events older than 30 days are deleted whatever their state, the others are kept', async () => {
  const kept = [await insert(29, 'DELIVERED'), await insert(0, 'PENDING')]
  for (const state of ['DELIVERED', 'FAILED', 'PENDING']) await insert(31, state)
  await cleanUpDeliveries(sql, new Date().toISOString(), running)
  const left = await sql<{ id: string }[]>`select id from webhooks.deliveries order by id`
  expect(left.map(({ id }) => id)).toEqual(kept.toSorted())
})

test('pending deliveries of a deleted endpoint fail, those of an existing one are kept', async () => {
  await sql`delete from webhooks.deliveries`
  const [abandoned, kept] = [await insert(0, 'PENDING'), await insert(0, 'PENDING')]
  await sql`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    select endpoint_id, 'org_1', 'https://hooks.example.com/', array['cases.*'], 'paused', '', now(), now()
    from webhooks.deliveries where id = ${kept}`
  const now = new Date().toISOString()
  expect(await failAbandonedDeliveries(sql, now, running)).toBe(1)
  const left = await sql<{ id: string; state: string }[]>`select id, state from webhooks.deliveries order by state`
  expect(left.map(({ id, state }) => [id, state])).toEqual([
    [abandoned, 'FAILED'],
    [kept, 'PENDING'],
  ])
  expect(await failAbandonedDeliveries(sql, now, running)).toBe(0)
})

test('partitions of the coming months exist, and events older than 30 days go with their partition', async () => {
  await db.owner`
    create table webhooks.events_2020_01 partition of webhooks.events
      for values from ('2020-01-01Z') to ('2020-02-01Z')`
  for (const time of ['2020-01-15Z', '2019-12-31Z', new Date().toISOString()]) {
    await db.owner`
      insert into webhooks.events (id, timestamp, org_id, type, body)
      values (${newId('evt')}, ${time}, 'org_1', 'cases.created', '{}')`
  }
  await maintainPartitions(sql)
  expect((await sql`select from webhooks.events`).length).toBe(1)
  const partitions = await sql<{ name: string }[]>`
    select relname as name from pg_class where relname ~ '^(events|attempts)_[0-9]{4}_[0-9]{2}$' and relispartition`
  // The current month and the three after it, of two tables.
  expect(partitions).toHaveLength(8)
})
