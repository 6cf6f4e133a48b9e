import { expect, test } from 'bun:test'
import { createSecretBox } from '../../../services/kit/secrets/box.ts'
import { testDatabase } from '../../../services/testing/database.ts'
import { serverOfWebhooks } from '../../../services/testing/own-server.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

const main = await testDatabase()
const own = await serverOfWebhooks(main)
const pair = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: main.ownerUrl,
  WEBHOOKS_OWNER_DATABASE_URL: own.ownerUrl,
  ENCRYPTION_KEYS: `${pair('new', 2)},${pair('old', 1)}`,
}
const command = (name: string, more: object = {}, ...words: string[]) =>
  run([BUN, commandFile(name), ...words], { env: { ...env, ...more } })

test('the dead letters of webhooks are those of their server, and are requeued there', async () => {
  await own.owner`
    insert into webhooks.dead_letters (consumer, event_id, type, subject, envelope, tries, error, given_up_at)
    values ('ingest', 'evt_1', 'cases.created', 'case_1', '{"source":"/marketplace/sourcing","subject":"case_1"}', 5,
      'no', '2026-04-29T09:10:00Z')`
  await own.owner`insert into webhooks.bus_cursors (consumer, source) values ('ingest', 'NOTIFICATIONS')`
  expect(await command('operator', {}, 'dead-letters', 'list')).toEqual({
    code: 0,
    output: 'webhooks/ingest evt_1 cases.created case_1 2026-04-29T09:10:00.000Z no\n',
  })
  expect(await command('republish', {}, '--dead-letters', 'webhooks/ingest')).toEqual({
    code: 0,
    output: 'webhooks/ingest: 1 event will be processed again\n',
  })
  expect(await own.owner`select event_id from webhooks.retry_events`).toMatchObject([{ event_id: 'evt_1' }])
})

test('events are published again from the outboxes of both servers', async () => {
  await own.owner`
    insert into webhooks.outbox (id, type, subject, time, data, sent_at)
    values ('evt_1', 'webhooks.endpoint.paused', 'wh_1', now(), '{}', now())`
  const { code, output } = await command('republish', {}, '--since', new Date(Date.now() - 3_600_000).toISOString())
  expect([code, output.split('\n')]).toEqual([
    0,
    expect.arrayContaining(['sourcing: 0 events will be published again', 'webhooks: 1 event will be published again']),
  ])
})

test('the secrets of endpoints are re-encrypted on their server', async () => {
  const [before, after] = [await createSecretBox(pair('old', 1)), await createSecretBox(pair('new', 2))]
  await own.owner`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    values ('wh_1', 'org_1', 'https://a.example', '{cases.*}', 'active', ${await before.encrypt('secret')}, now(), now())`
  const { code, output } = await command('operator', {}, 'keys', 'reencrypt')
  expect([code, output]).toEqual([0, expect.stringContaining('1 secrets were re-encrypted')])
  const [row] = await own.owner<{ secret: string }[]>`select secret from webhooks.endpoints`
  expect(await after.decrypt(row?.secret as string)).toBe('secret')
})

test('a server of webhooks that does not answer is named', async () => {
  const nowhere = { WEBHOOKS_OWNER_DATABASE_URL: 'postgres://marketplace_owner@127.0.0.1:1/webhooks' }
  expect(await command('operator', nowhere, 'dead-letters', 'list')).toEqual({
    code: 1,
    output: 'WEBHOOKS_OWNER_DATABASE_URL: Postgres on 127.0.0.1:1 does not answer: nothing listens on this port.\n',
  })
})
