import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { openBus, until } from './conformance/harness.ts'

const { owner, urlOf } = await testDatabase()

test('a NOTIFY arrives with its payload, and a call without one tells that some may have been missed', async () => {
  const { bus, pool, stop } = await openBus({ urlOf }, 'webhooks')
  const received: (string | undefined)[] = []
  const end = bus.onNotify('due', (payload) => received.push(payload))
  await until(() => received.length === 1)
  await pool`select pg_notify('due', 'org_1')`
  await until(() => received.length === 2)
  await owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'webhooks-notifier'`
  await until(() => received.length === 3)
  expect(received).toEqual([undefined, 'org_1', undefined])
  end()
  await stop()
})
