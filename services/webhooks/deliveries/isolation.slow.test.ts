import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { ensureStreams } from '../../kit/bus/nats/streams.ts'
import { emitAllAny } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { natsServer } from '../../testing/nats-server.ts'
import { startService } from '../../testing/processes.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(60_000)
// On the Postgres bus an event waits for the transactions of all databases of the server, also those of other tests.
const nats = await natsServer()
await nats.start()
afterAll(() => nats.close())
await ensureStreams({ url: nats.url })
const market = await marketplaceWithWorkers(['sourcing'], { NATS_URL: nats.url })
// The webhooks service runs in a process of its own, because the test runner allows 256 requests at the same time.
const service = await startService('webhooks', market.db, undefined, {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  NATS_URL: nats.url,
})
const { owner } = market.db
const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))

/** Shorter than the time-out of an attempt, so that no hanging request has ended. */
const WITHIN = { withinMs: 12_000 }
/** Longer than that of the dispatcher. */
const SWEEP_MS = 1500

/** A receiver that answers all requests only when it is released, and one that answers at once. */
function receivers() {
  const waiting: (() => void)[] = []
  let isReleased = false
  const arrived: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname !== '/hangs') {
        arrived.push(request.headers.get('webhook-id') ?? '')
        return new Response('ok')
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      if (!isReleased) await promise
      return new Response('ok')
    },
  })
  const release = () => {
    isReleased = true
    for (const answer of waiting) answer()
  }
  afterAll(async () => {
    release()
    await server.stop(true)
  })
  const url = `http://127.0.0.1:${server.port}`
  return { hanging: `${url}/hangs`, accepting: `${url}/accepts`, waiting, arrived, release }
}

async function endpoint({ administrator }: TestOrganization, url: string): Promise<CreatedWebhookEndpoint> {
  const body = { url, events: ['cases.*'] }
  administrator.client.url = service.client.url
  const answer = await administrator.client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data
}

const send = ({ orgId }: TestOrganization, count: number) =>
  producer.begin((tx) =>
    emitAllAny(
      tx,
      Array.from({ length: count }, (_, index) => ({
        type: 'cases.updated',
        tenantId: orgId,
        subject: `case_${index}`,
        data: {},
      })),
    ),
  )

/** Endpoints that worked until now. */
const prove = (organizations: readonly TestOrganization[]) => owner`
  update webhooks.endpoints set succeeded_at = now() where org_id = any(${organizations.map(({ orgId }) => orgId)})`

/** Waits until as many requests hang as may: a whole sweep has started no further one. */
async function saturated(waiting: readonly unknown[], least: number): Promise<void> {
  let [last, sinceMs] = [0, performance.now()]
  await until(() => {
    if (waiting.length !== last) [last, sinceMs] = [waiting.length, performance.now()]
    return last >= least && performance.now() - sinceMs > SWEEP_MS
  }, WITHIN)
  // As the autovacuum does within a minute: the plans of the service were made over empty tables.
  await owner`analyze webhooks.endpoints, webhooks.deliveries, webhooks.events`
}

test('of an organization are all sent while 300 endpoints of another one hang', async () => {
  const { hanging, accepting, waiting, arrived, release } = receivers()
  const noisy = await market.organization(['CONSUMER'])
  const other = await market.organization(['CONSUMER'])
  const { id } = await endpoint(noisy, hanging)
  await owner`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    select id || '_' || number, org_id, url, events, status, secret, created_at, updated_at
    from webhooks.endpoints, generate_series(2, 300) number where id = ${id}`
  await endpoint(other, accepting)
  await send(noisy, 5)
  await saturated(waiting, 50)
  const ids = await send(other, 300)
  await until(() => arrived.length >= ids.length, WITHIN)
  expect(arrived.sort()).toEqual(ids.sort())
  release()
})

test('of an organization are all sent while twenty others have hanging endpoints for all their slots', async () => {
  const { hanging, accepting, waiting, arrived, release } = receivers()
  const noisy = await Promise.all(Array.from({ length: 20 }, () => market.organization(['CONSUMER'])))
  const other = await market.organization(['CONSUMER'])
  for (const org of noisy) await Promise.all(Array.from({ length: 4 }, () => endpoint(org, hanging)))
  await endpoint(other, accepting)
  await prove(noisy)
  for (const org of noisy) await send(org, 40)
  await saturated(waiting, 300)
  const ids = await send(other, 300)
  await until(() => arrived.length >= ids.length, WITHIN)
  expect(arrived.sort()).toEqual(ids.sort())
  release()
})

test('of endpoints that have had no success yet, or failed last, hang in a third of the slots', async () => {
  const { hanging, accepting, waiting, arrived, release } = receivers()
  const noisy = await Promise.all(Array.from({ length: 20 }, () => market.organization(['CONSUMER'])))
  const [failed, other] = [await market.organization(['CONSUMER']), await market.organization(['CONSUMER'])]
  for (const org of [...noisy, failed]) await Promise.all(Array.from({ length: 4 }, () => endpoint(org, hanging)))
  await prove([failed])
  await owner`update webhooks.endpoints set failures = 1, failing_since = now() where org_id = ${failed.orgId}`
  for (const org of [...noisy, failed]) await send(org, 40)
  await saturated(waiting, 150)
  expect(waiting.length).toBeLessThanOrEqual(256)
  // A new endpoint gets a slot among them, and more once it has proved itself.
  await endpoint(other, accepting)
  const ids = await send(other, 300)
  await until(() => arrived.length >= ids.length, WITHIN)
  expect(arrived.sort()).toEqual(ids.sort())
  release()
})

test('to an endpoint are all sent while nineteen others of its organization hang', async () => {
  const { hanging, accepting, waiting, arrived, release } = receivers()
  const org = await market.organization(['CONSUMER'])
  for (let number = 0; number < 19; number++) await endpoint(org, hanging)
  await prove([org])
  await send(org, 40)
  await saturated(waiting, 80)
  await endpoint(org, accepting)
  const ids = await send(org, 100)
  await until(() => arrived.length >= ids.length, WITHIN)
  expect(arrived.sort()).toEqual(ids.sort())
  release()
})
