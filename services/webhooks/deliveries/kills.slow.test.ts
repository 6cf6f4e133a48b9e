import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { emitAllAny } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { startService, stopService } from '../../testing/processes.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(120_000)
// This process relays the events of sourcing; the webhooks service runs in processes of its own.
const market = await marketplaceWithWorkers(['sourcing'])
const { owner } = market.db
const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))
const org = await market.organization(['CONSUMER'])

const EVENTS = 400
const ENDPOINTS = 5
const KILLS = 4
/** In flight for one endpoint of one replica. */
const SLOTS_PER_ENDPOINT = 32

const received: { path: string; id: string; atMs: number }[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const { pathname: path } = new URL(request.url)
    received.push({ path, id: request.headers.get('webhook-id') ?? '', atMs: Date.now() })
    return new Response('ok')
  },
})
afterAll(() => server.stop(true))

const start = () => startService('webhooks', market.db, undefined, { ALLOW_PRIVATE_ADDRESSES: 'true' })

test('every event reaches every endpoint while replicas are killed; repeats are at most what was in flight', async () => {
  const replicas = await Promise.all([start(), start()])
  const [first] = replicas
  const { client } = org.administrator
  client.url = first.client.url
  for (let index = 0; index < ENDPOINTS; index++) {
    const url = `http://127.0.0.1:${server.port}/${index}`
    const answer = await client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
      url,
      events: ['cases.*'],
    })
    if (answer.status !== 201) throw new Error(answer.text)
  }

  const sent: string[] = []
  const share = EVENTS / (KILLS + 1)
  const sendShare = async () => {
    const events = Array.from({ length: share }, (_, index) => ({
      type: 'cases.updated',
      tenantId: org.orgId,
      subject: `case_${index % 50}`,
      data: { index },
    }))
    sent.push(...(await producer.begin((tx) => emitAllAny(tx, events))))
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const before = received.length
    await sendShare()
    await until(() => received.length > before + share, { what: 'deliveries before the kill' })
    const [victim] = replicas.splice(kill % 2, 1)
    expect(await stopService(victim as (typeof replicas)[0], 'SIGKILL')).not.toBe(0)
    // Instead of 45 seconds. Rows that the other replica writes at the moment are left out, because of deadlocks.
    await owner`
      update webhooks.deliveries set lease_until = now()
      where id = any(array(
        select id from webhooks.deliveries where state = 'PENDING' and lease_until is not null for update skip locked))`
    replicas.push(await start())
  }
  await sendShare()
  await until(
    async () => (await owner`select from webhooks.deliveries where state = 'DELIVERED'`).length === EVENTS * ENDPOINTS,
    { withinMs: 60_000, what: 'all deliveries' },
  )
  const wanted = sent.flatMap((id) => Array.from({ length: ENDPOINTS }, (_, index) => `/${index} ${id}`))
  const distinct = new Set(received.map(({ path, id }) => `${path} ${id}`))
  expect([...distinct].sort()).toEqual(wanted.sort())
  // The lease of the other replica's deliveries is ended too, so those of both can repeat.
  expect(received.length - distinct.size).toBeLessThanOrEqual(KILLS * 2 * ENDPOINTS * SLOTS_PER_ENDPOINT)
  for (const replica of replicas) expect(await stopService(replica, 'SIGTERM')).toBe(0)
})
