import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { connectOnce } from '../../kit/bus/nats/connection.ts'
import { ensureStreams } from '../../kit/bus/nats/streams.ts'
import { emitAny } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { natsServer } from '../../testing/nats-server.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(60_000)
const nats = await natsServer()
await nats.start()
afterAll(() => nats.close())
await ensureStreams({ url: nats.url })
const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], {
  NATS_URL: nats.url,
  ALLOW_PRIVATE_ADDRESSES: 'true',
})
const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))
const org = await market.organization(['CONSUMER'])

const received: { id?: unknown }[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    received.push((await request.json()) as object)
    return new Response('ok')
  },
})
afterAll(() => server.stop(true))

test('events of the marketplace and of other systems are delivered once', async () => {
  const { client } = org.administrator
  const url = `http://127.0.0.1:${server.port}/`
  const answer = await client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
    url,
    events: ['cases.*', 'assignments.*'],
  })
  expect(answer.status).toBe(201)
  const ours = { type: 'cases.created', tenantId: org.orgId, subject: 'case_1', data: {} }
  const id = await producer.begin((tx) => emitAny(tx, ours))
  const { nc, js } = await connectOnce({ url: nats.url }, 'another-system')
  const theirs = {
    specversion: '1.0',
    id: 'another-1',
    source: '/another/system',
    type: 'assignments.status.updated',
    subject: 'assignment_1',
    time: '2026-04-29T09:10:00Z',
    tenantid: org.orgId,
    data: { status: 'SHIPPED' },
  }
  await js.publish(theirs.type, JSON.stringify(theirs), { msgID: theirs.id })
  await until(() => received.length === 2, { what: 'both deliveries' })
  expect(received.map((event) => String(event.id)).sort()).toEqual(['another-1', id].sort())
  expect(received.find((event) => event.id === 'another-1')).toEqual({
    id: 'another-1',
    type: theirs.type,
    timestamp: theirs.time,
    tenant_id: org.orgId,
    data: theirs.data,
  } as object)
  await nc.close()
})
