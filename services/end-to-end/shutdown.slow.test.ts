import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Upload } from '../../proto/http/sourcing/uploads.ts'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { casesOf, qualityCase } from '../testing/cases.ts'
import { ApiClient } from '../testing/client.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { type ServiceProcess, startService, stopService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'

setDefaultTimeout(120_000)
const market = await marketplaceWithWorkers(['sourcing'])
const { owner } = market.db
const org = await market.organization(['IP_OWNER', 'CONSUMER'])
const { client } = org.administrator

/** Sends SIGTERM and waits until the process has noticed it. */
async function terminate(service: ServiceProcess): Promise<{ exit: Promise<number> }> {
  const exit = stopService(service, 'SIGTERM')
  const isReady = async () => (await fetch(`${service.health}/readyz`).catch(() => undefined))?.ok
  await until(async () => !(await isReady()), { what: 'the end of readiness' })
  return { exit }
}

/** A PUT whose body continues until `end`. */
async function startUpload(sourcing: ServiceProcess) {
  const { url } = sourcing.client
  const created = await new ApiClient(url, client.accessToken).post<Upload>('/v1/uploads', { name: 'flange.stl' })
  const { pathname, search } = new URL(created.body.uploadUrl)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
      started.enqueue(new Uint8Array(100_000))
    },
  })
  const answer = fetch(`${url}${pathname}${search}`, { method: 'PUT', body }).catch(() => undefined)
  await until(async () => (await metric(sourcing)) === 1, { what: 'a running upload' })
  return { path: `${pathname}${search}`, answer, end: () => controller?.close() }
}

async function metric({ health }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${health}/metrics`)).text()
  return Number(/^marketplace_concurrency_running\{.*work="uploads".*\} (\d+)$/m.exec(text)?.[1])
}

test('SIGTERM during an upload: one that ends in time is stored, and the process exits with 0', async () => {
  const sourcing = await startService('sourcing', market.db)
  const upload = await startUpload(sourcing)
  const { exit } = await terminate(sourcing)
  upload.end()
  expect((await upload.answer)?.status).toBe(204)
  expect(await exit).toBe(0)
})

test('SIGTERM during an upload that does not end: no answer, exit code 0, and its URL accepts another PUT', async () => {
  const sourcing = await startService('sourcing', market.db, undefined, { SHUTDOWN_SECONDS: '4' })
  const upload = await startUpload(sourcing)
  expect(await (await terminate(sourcing)).exit).toBe(0)
  expect((await upload.answer)?.ok).not.toBe(true)
  const next = await startService('sourcing', market.db)
  expect((await fetch(`${next.client.url}${upload.path}`, { method: 'PUT', body: 'solid' })).status).toBe(204)
  expect(await stopService(next, 'SIGTERM')).toBe(0)
})

const received: string[] = []
let mayAnswer = Promise.withResolvers<void>()
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    received.push(request.headers.get('webhook-id') ?? '')
    await mayAnswer.promise
    return new Response('ok')
  },
})
afterAll(() => receiver.stop(true))
const startWebhooks = (more: Record<string, string> = {}) =>
  startService('webhooks', market.db, undefined, { ALLOW_PRIVATE_ADDRESSES: 'true', ...more })
const deliveries = () => owner<{ state: string; attempts: number }[]>`
  select d.state, (select count(*)::int from webhooks.attempts a where a.delivery_id = d.id) as attempts
  from webhooks.deliveries d order by d.created_at`

test('SIGTERM during a delivery: one that is answered is recorded, one that is not is repeated by the next replica', async () => {
  const first = await startWebhooks()
  const endpoints = new ApiClient(first.client.url, client.accessToken)
  const url = `http://127.0.0.1:${receiver.port}/`
  const created = await endpoints.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
    url,
    events: ['cases.created'],
  })
  expect(created.status).toBe(201)
  await casesOf(client).create(qualityCase())
  await until(() => received.length === 1, { what: 'the first delivery' })
  const { exit } = await terminate(first)
  mayAnswer.resolve()
  expect(await exit).toBe(0)
  expect([...(await deliveries())]).toEqual([{ state: 'DELIVERED', attempts: 1 }])

  mayAnswer = Promise.withResolvers()
  const second = await startWebhooks({ SHUTDOWN_SECONDS: '2' })
  await casesOf(client).create(qualityCase())
  await until(() => received.length === 2, { what: 'the second delivery' })
  // The end of the grace period ends the process.
  expect(await (await terminate(second)).exit).toBe(1)
  mayAnswer.resolve()
  // Instead of 45 seconds.
  await owner`update webhooks.deliveries set lease_until = now() where state = 'PENDING' and lease_until is not null`
  const third = await startWebhooks()
  await until(async () => (await deliveries()).every(({ state }) => state === 'DELIVERED'), { what: 'both deliveries' })
  expect(received).toHaveLength(3)
  expect(received[2]).toBe(received[1] as string)
  expect(await stopService(third, 'SIGTERM')).toBe(0)
})
