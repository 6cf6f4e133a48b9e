import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { connect } from '../db/client.ts'
import { Notifier } from './notifier.ts'

const { owner, urlOf, beforeDrop } = await testDatabase()
const pool = connect(urlOf('webhooks'), { max: 1, applicationName: 'test' })
const log = { info() {}, warn() {}, error() {} }
const notifier = new Notifier({ url: urlOf('webhooks'), applicationName: 'webhooks-notifier', log })
beforeDrop(() => Promise.all([notifier.close(), pool.end({ timeout: 1 })]))

test('a NOTIFY arrives with its payload, and a call without one tells that some may have been missed', async () => {
  const received: (string | undefined)[] = []
  const end = notifier.onNotify('due', (payload) => received.push(payload))
  await until(() => received.length === 1)
  await pool`select pg_notify('due', 'org_1')`
  await until(() => received.length === 2)
  await owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'webhooks-notifier'`
  await until(() => received.length === 3)
  expect(received).toEqual([undefined, 'org_1', undefined])
  end()
})
