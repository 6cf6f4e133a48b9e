import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { testDatabase } from '../testing/database.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { serverOfWebhooks } from '../testing/own-server.ts'
import { type ServiceProcess, spawnService, startService, stopService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'
import { ENDPOINTS } from '../testing/webhooks.ts'

setDefaultTimeout(60_000)
const nats = await natsServer()
await nats.start()
await ensureStreams({ url: nats.url })
const db = await testDatabase()
const own = await serverOfWebhooks(db)
const market = await marketplaceWithWorkers([], { NATS_URL: nats.url }, db)
afterAll(() => nats.close())
const { client } = (await market.organization(['CONSUMER'])).administrator

const shared = { ALLOW_PRIVATE_ADDRESSES: 'true', SHARED_DATABASE_URL: db.urlOf('webhooks') }
const start = () => startService('webhooks', own, nats.url, shared)
let service: ServiceProcess = await start()

async function restart(): Promise<void> {
  await stopService(service, 'SIGKILL')
  // Instead of the fifteen seconds of a lease.
  await own.owner`update webhooks.jobs set lease_until = now() where lease_until is not null`
  service = await start()
}

async function createEndpoint(): Promise<string> {
  client.url = service.client.url
  const body = { url: 'http://127.0.0.1:9/', events: ['cases.*'] }
  const answer = await client.post<{ data: CreatedWebhookEndpoint }>(ENDPOINTS, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}
const entriesOf = (id: string) => db.owner<{ timestamp: string }[]>`
  select timestamp from organization.audit_log where request ->> 'webhookId' = ${id}`
const waiting = async () => (await own.owner`select from webhooks.jobs where kind = 'audit-entry'`).length

beforeEach(async () => {
  await own.owner`delete from webhooks.endpoints`
})

test('a process that is killed before an entry is copied: the next one copies it, with the time of its command', async () => {
  await db.owner`revoke execute on function organization.copy_audit_entry(jsonb) from marketplace_webhooks`
  const id = await createEndpoint()
  const createdMs = Date.now()
  expect([await waiting(), (await entriesOf(id)).length]).toEqual([1, 0])
  await stopService(service, 'SIGKILL')
  await db.owner`grant execute on function organization.copy_audit_entry(jsonb) to marketplace_webhooks`
  expect(await entriesOf(id)).toHaveLength(0)
  await restart()
  await until(async () => (await waiting()) === 0, { what: 'the copy' })
  const logged = await entriesOf(id)
  expect(logged).toHaveLength(1)
  expect(Date.parse(logged[0]?.timestamp as string)).toBeLessThanOrEqual(createdMs)
})

test('a process that is killed after an entry is copied: it is not copied twice', async () => {
  await own.owner.unsafe(`
    create function webhooks.block() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(1); return old; end $$;
    create trigger block before delete on webhooks.jobs for each row execute function webhooks.block()`)
  const lock = await own.owner.reserve()
  await lock`select pg_advisory_lock(1)`
  const id = await createEndpoint()
  await until(async () => (await entriesOf(id)).length === 1, { what: 'the copy' })
  expect(await waiting()).toBe(1)
  await stopService(service, 'SIGKILL')
  await lock`select pg_advisory_unlock(1)`
  lock.release()
  await own.owner.unsafe('drop trigger block on webhooks.jobs')
  await restart()
  await until(async () => (await waiting()) === 0, { what: 'the end of the job' })
  expect(await entriesOf(id)).toHaveLength(1)
})

test('kills at any time: each endpoint that was created has one entry, and no other is logged', async () => {
  const [{ before }] = await db.owner<[{ before: number }]>`
    select count(*)::integer as before from organization.audit_log where procedure = 'webhookEndpoint.create'`
  for (let kill = 0; kill < 4; kill++) {
    let answered = 0
    const create = () =>
      createEndpoint().then(
        () => answered++,
        () => undefined,
      )
    // An organization has at most twenty.
    const requests = Array.from({ length: 5 }, create)
    await until(() => answered > kill, { what: 'some answers' })
    await restart()
    await Promise.all(requests)
  }
  await until(async () => (await waiting()) === 0, { what: 'the copies' })
  const endpoints = await own.owner<{ id: string }[]>`select id from webhooks.endpoints order by id`
  const logged = await db.owner<{ id: string }[]>`
    select request ->> 'webhookId' as id from organization.audit_log
    where procedure = 'webhookEndpoint.create' and success order by id offset ${before}`
  expect(endpoints.length).toBeGreaterThan(3)
  expect(logged.map(({ id }) => id)).toEqual(endpoints.map(({ id }) => id))
})

test('a start without NATS ends with 2 and a sentence', async () => {
  const { child } = spawnService('webhooks', own, undefined, shared)
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    2,
    'The configuration is not valid:\n  SHARED_DATABASE_URL needs NATS_URL, because events run over Postgres only where all services share it.\n',
  ])
})
