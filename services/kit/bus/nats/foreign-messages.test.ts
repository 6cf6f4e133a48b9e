import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  createEffects,
  effectsOf,
  emitValue,
  openBus,
  record,
  subscribed,
  until,
} from '../../../testing/bus/harness.ts'
import { testDatabase } from '../../../testing/database.ts'
import { natsServer } from '../../../testing/nats-server.ts'
import { connectOnce, optionsOfUrl } from './connection.ts'
import { ensureStreams } from './streams.ts'

/** Messages of other systems, addresses and outages of NATS. */
setDefaultTimeout(60_000)
const { owner, urlOf } = await testDatabase()
await createEffects(owner)
const server = await natsServer()
await server.start()
await ensureStreams({ url: server.url })
afterAll(() => server.close())

const address = { urlOf, natsUrl: server.url }
const envelope = (attributes: object) =>
  JSON.stringify({
    specversion: '1.0',
    id: 'evt_stranger',
    source: '/elsewhere',
    type: 'cases.created',
    subject: 'case_1',
    time: '2026-04-29T09:10:00Z',
    data: { value: 1 },
    ...attributes,
  })

test('an event of another system is handled; a malformed message is a dead letter at once', async () => {
  const reasons: string[] = []
  const webhooks = await openBus(address, 'webhooks', { onDeadLetter: ({ error }) => reasons.push(error) })
  webhooks.start(webhooks.bus.consume({ name: 'ingest', subjects: ['cases.>'], handle: record }))
  const { nc, js } = await connectOnce({ url: server.url }, 'stranger')
  const wrong = [
    'no JSON \0',
    JSON.stringify('text'),
    JSON.stringify(null),
    envelope({ id: undefined }),
    envelope({ id: '' }),
    envelope({ id: ' with spaces ' }),
    envelope({ id: '事件-1' }),
    envelope({ time: 'yesterday' }),
    envelope({ id: 'with\u0000nul' }),
    envelope({ subject: 'x'.repeat(300) }),
    envelope({ specversion: '0.3' }),
    envelope({ data: undefined }),
    envelope({ type: 'identity.session.revoked' }),
  ]
  for (const text of wrong) await js.publish('cases.created', text)
  await js.publish('cases.created', new Uint8Array([0xff, 0xfe, 0x00]))
  await js.publish('cases.created', envelope({ id: 'evt_ours', extension: 'is ignored', data: { value: 2 } }))
  await until(async () => (await effectsOf(owner, 'cases.created')).length === 1)
  expect(await effectsOf(owner, 'cases.created')).toMatchObject([{ event_id: 'evt_ours', value: 2 }])
  await until(() => reasons.length === wrong.length + 1)
  expect(reasons.at(-2)).toBe('type differs from the subject')
  expect(await owner`select event_id from webhooks.dead_letters where type is null`).toHaveLength(wrong.length + 1)
  await nc.close()
  await webhooks.stop()
})

test('a duplicate that the server did not recognize is dropped by id', async () => {
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'ingest', subjects: ['cases.>'], handle: record }))
  const { nc, js } = await connectOnce({ url: server.url }, 'stranger')
  for (let copy = 0; copy < 3; copy++)
    await js.publish('cases.updated', envelope({ id: 'evt_copied', type: 'cases.updated' }))
  await js.publish('cases.closed', envelope({ id: 'evt_last', type: 'cases.closed' }))
  await until(async () => (await effectsOf(owner, 'cases.closed')).length === 1)
  expect(await effectsOf(owner, 'cases.updated')).toHaveLength(1)
  await nc.close()
  await webhooks.stop()
})

test('an event with a forged type does not reach subscribers', async () => {
  const identity = await openBus(address, 'identity')
  const received: string[] = []
  await identity.bus.subscribe({
    subjects: subscribed('cases.>'),
    onEvent: ({ id }) => void received.push(id),
    onGap() {},
  })
  const { nc, js } = await connectOnce({ url: server.url }, 'stranger')
  await js.publish('cases.archived', envelope({ id: 'evt_forged', type: 'cases.closed' }))
  await js.publish('cases.archived', envelope({ id: 'evt_true', type: 'cases.archived' }))
  await until(() => received.length > 0)
  expect(received).toEqual(['evt_true'])
  await nc.close()
  await identity.stop()
})

test('a service starts without NATS, reports a missing heartbeat, and receives events once NATS is up', async () => {
  const away = await natsServer()
  const sourcing = await openBus({ urlOf, natsUrl: away.url }, 'sourcing', { timing: { subscribeTimeoutMs: 100 } })
  sourcing.start(sourcing.bus.relay())
  const received: number[] = []
  let loads = 0
  await sourcing.bus.subscribe({
    subjects: subscribed('sourcing.away.emitted'),
    onEvent: () => void received.push(1),
    onGap: () => void loads++,
  })
  expect(loads).toBe(1)
  expect(sourcing.bus.lastHeartbeat('sourcing')).toBe(Number.NEGATIVE_INFINITY)
  await away.start()
  await ensureStreams({ url: away.url })
  await until(() => loads > 1 && sourcing.bus.lastHeartbeat('sourcing') > 0)
  await emitValue(sourcing.pool, 'sourcing.away.emitted', 'a', 1)
  await until(() => received.length === 1)
  await sourcing.stop()
  await away.close()
})

test('credentials in the address are used, and wrong ones are refused', async () => {
  const guarded = await natsServer(['--user', 'market', '--pass', 'p@ss/word'])
  const url = (password: string) => guarded.url.replace('//', `//market:${encodeURIComponent(password)}@`)
  await guarded.start({ url: url('p@ss/word') })
  await ensureStreams({ url: url('p@ss/word') })
  expect(connectOnce({ url: url('wrong') }, 'test')).rejects.toThrow(/Authorization/i)
  expect(connectOnce({ url: guarded.url }, 'test')).rejects.toThrow(/Authorization/i)
  await guarded.close()
})

test('an address contains servers, credentials and encryption', () => {
  expect(optionsOfUrl('nats://a:4222,nats://b:4333')).toEqual({ servers: ['a:4222', 'b:4333'] })
  expect(optionsOfUrl('nats://t0ken@a')).toEqual({ servers: ['a'], token: 't0ken' })
  expect(optionsOfUrl('tls://user:pa%3Ass@a:1, tls://b:2')).toEqual({
    servers: ['a:1', 'b:2'],
    tls: {},
    user: 'user',
    pass: 'pa:ss',
  })
})
