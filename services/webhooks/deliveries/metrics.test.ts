import { expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { measureDeliveries } from './queries.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('webhooks'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const addEndpoint = (id: string, status: string, failures: number, pauseReason: string | null = null) => db.owner`
  insert into webhooks.endpoints (id, org_id, url, events, status, failures, pause_reason, secret, created_at, updated_at)
  values (${id}, 'org_1', 'https://example.com', '{}', ${status}, ${failures}, ${pauseReason}, '', now(), now())`
const addDelivery = (id: string, endpointId: string, minutes: number) => db.owner`
  insert into webhooks.deliveries (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
  values (${id}, 'org_1', ${endpointId}, ${id}, now(), 'cases.created',
    now() - make_interval(mins => ${minutes}::integer), now())`
const measured = async () => {
  const [{ due, oldest_ms: oldestMs, paused }] = await measureDeliveries(sql)
  return { due, oldestMinutes: oldestMs === null ? null : Math.round(oldestMs / 60_000), paused }
}

test('the oldest due delivery is that of an endpoint that works; failing and paused ones do not count', async () => {
  expect(await measured()).toEqual({ due: 0, oldestMinutes: null, paused: 0 })
  await addEndpoint('wh_failing', 'active', 3)
  await addEndpoint('wh_paused', 'paused', 0, 'All 20 attempts failed.')
  await addDelivery('dlv_1', 'wh_failing', 90)
  await addDelivery('dlv_2', 'wh_paused', 80)
  expect(await measured()).toEqual({ due: 1, oldestMinutes: null, paused: 1 })
  await addEndpoint('wh_working', 'active', 0)
  await addDelivery('dlv_3', 'wh_working', 5)
  await addDelivery('dlv_4', 'wh_working', -5)
  expect(await measured()).toEqual({ due: 2, oldestMinutes: 5, paused: 1 })
})
