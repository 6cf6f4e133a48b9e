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

test('SIGTERM during a delivery: it is awaited and recorded, and no other one begins', async () => {
  const webhooks = await startWebhooks({ DRAIN_SECONDS: '2' })
  const endpoints = new ApiClient(webhooks.client.url, client.accessToken)
  const url = `http://127.0.0.1:${receiver.port}/`
  const created = await endpoints.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
    url,
    events: ['cases.created'],
  })
  expect(created.status).toBe(201)
  await casesOf(client).create(qualityCase())
  await until(() => received.length === 1, { what: 'the first delivery' })
  const { exit } = await terminate(webhooks)
  await casesOf(client).create(qualityCase())
  await until(async () => (await deliveries()).length === 2, { what: 'the event during the stop' })
  // Until it no longer listens.
  await until(async () => !(await fetch(`${webhooks.client.url}/livez`).catch(() => undefined)), {
    what: 'the end of the drain',
  })
  mayAnswer.resolve()
  expect(await exit).toBe(0)
  expect([...(await deliveries())]).toEqual([
    { state: 'DELIVERED', attempts: 1 },
    { state: 'PENDING', attempts: 0 },
  ])
  expect(received).toHaveLength(1)
})

test('SIGTERM during a delivery that is not answered: exit code 0, and the next replica repeats it at once', async () => {
  mayAnswer = Promise.withResolvers()
  const first = await startWebhooks({ SHUTDOWN_SECONDS: '4' })
  await until(() => received.length === 2, { what: 'the second delivery' })
  expect(await (await terminate(first)).exit).toBe(0)
  mayAnswer.resolve()
  const second = await startWebhooks()
  await until(async () => (await deliveries()).every(({ state }) => state === 'DELIVERED'), { what: 'both deliveries' })
  expect(received).toHaveLength(3)
  expect(received[2]).toBe(received[1] as string)
  expect(await stopService(second, 'SIGTERM')).toBe(0)
})

test('SIGTERM during a mail whose server does not answer: exit code 0, and the attempt does not count', async () => {
  const connections: string[] = []
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: ({ remoteAddress }) => void connections.push(remoteAddress), data: () => {} },
  })
  const organization = await startService('organization', market.db, undefined, {
    SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
    MAIL_FROM: 'no-reply@example.com',
    SHUTDOWN_SECONDS: '4',
  })
  const person = { email: `${crypto.randomUUID()}@example.com`, givenName: 'Ada', familyName: 'Berg', mail: true }
  const users = new ApiClient(organization.client.url, client.accessToken)
  expect((await users.post('/flows/v1/users', person)).status).toBe(201)
  await until(() => connections.length === 1, { what: 'the connection to the SMTP server' })
  expect(await (await terminate(organization)).exit).toBe(0)
  expect([...(await owner`select attempts, lease_token from organization.jobs where kind = 'mail'`)]).toEqual([
    { attempts: 0, lease_token: null },
  ])
  silent.stop(true)
})
