import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Session } from '../../proto/http/identity/accounts.ts'
import type { AuditLogEntry } from '../../proto/http/organization/audit-log.ts'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { connectOnce } from '../kit/bus/nats/connection.ts'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { connect } from '../kit/db/client.ts'
import { testDatabase } from '../testing/database.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { serverOfWebhooks } from '../testing/own-server.ts'
import type { Page } from '../testing/people.ts'
import { TcpProxy } from '../testing/proxy.ts'
import { until } from '../testing/until.ts'
import { ENDPOINTS, OPERATIONS, webhooksOf } from '../testing/webhooks.ts'

setDefaultTimeout(60_000)
const nats = await natsServer()
await nats.start()
await ensureStreams({ url: nats.url })
const db = await testDatabase()
const own = await serverOfWebhooks(db)
const [mainProxy, ownProxy] = [new TcpProxy(db.ownerUrl), new TcpProxy(own.ownerUrl)]

function through(proxy: TcpProxy, url: string): string {
  const proxied = new URL(url)
  proxied.port = new URL(proxy.url).port
  return proxied.href
}

const ownUrl = through(ownProxy, own.urlOf('webhooks'))
const market = await marketplaceWithWorkers(
  ['sourcing', 'webhooks'],
  {
    NATS_URL: nats.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    WEBHOOKS_DATABASE_URL: ownUrl,
    WEBHOOKS_DATABASE_DIRECT_URL: ownUrl,
    SHARED_DATABASE_URL: through(mainProxy, db.urlOf('webhooks')),
  },
  { ...db, urlOf: (service) => through(mainProxy, db.urlOf(service)) },
)
// Registered last, so that the services close their connections first.
afterAll(async () => {
  mainProxy.close()
  ownProxy.close()
  await nats.close()
})
const webhooks = await webhooksOf(market)
const { client, org, receiver, endpoint, send, finished } = webhooks

/** The entries of a record in the audit log, the oldest first. */
const entriesOf = (id: string) => db.owner<
  { id: string; procedure: string; error: string | null; timestamp: string }[]
>`
  select id, procedure, error, timestamp from organization.audit_log
  where request::text like ${`%${id}%`} order by timestamp, id`
/** The error body of `/v2.3`. */
interface Refused {
  error: { code: string }
}
const noneWaits = async () => (await own.owner`select from webhooks.jobs where kind = 'audit-entry'`).length === 0

describe('commands', () => {
  test('the life of an endpoint has one audit entry for each command, at its time', async () => {
    const before = Date.now()
    const { id } = await endpoint()
    const patched = await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'paused' } })
    const rotated = await client.post<{ secret: string }>(`${OPERATIONS}/endpoints/${id}/rotate-secret`, {})
    expect([patched.status, rotated.status, rotated.body.secret]).toEqual([200, 200, expect.stringMatching(/^whsec_/)])
    expect((await client.send('DELETE', `${ENDPOINTS}/${id}`)).status).toBe(204)
    const after = Date.now()
    await until(async () => (await entriesOf(id)).length === 4 && (await noneWaits()), { what: 'the copies' })
    const logged = await entriesOf(id)
    const procedures = ['create', 'patch', 'rotateSecret', 'delete'].map((verb) => `webhookEndpoint.${verb}`)
    expect(logged.map(({ procedure }) => procedure)).toEqual(procedures)
    const times = logged.map(({ timestamp }) => Date.parse(timestamp))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect([Math.min(...times) >= before, Math.max(...times) <= after]).toEqual([true, true])
    const { items } = (await client.get<Page<AuditLogEntry>>('/v1/audit-log?pageSize=4')).body
    expect(items.map(({ id }) => id)).toEqual(logged.map((entry) => entry.id).reverse())
  })

  test('a refused command has an entry with its error', async () => {
    const { id } = await endpoint()
    await client.post(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.created' })
    const [delivery] = await finished(id, 'DELIVERED')
    const refused = await client.post(`${OPERATIONS}/deliveries/${delivery?.id}/retry`, {})
    expect(refused.status).toBe(409)
    // The entry of the test event names its delivery.
    await until(async () => (await entriesOf(delivery?.id as string)).length === 2, { what: 'the copies' })
    const entries = await entriesOf(delivery?.id as string)
    expect(entries.map(({ procedure, error }) => [procedure, error])).toEqual([
      ['webhookEndpoint.test', null],
      ['webhookDelivery.retry', 'illegal_transition'],
    ])
  })

  test('a repeated Idempotency-Key makes one endpoint and one entry', async () => {
    const body = { url: receiver.urlOf('/repeated'), events: ['cases.*'] }
    const create = async () =>
      (await client.post<{ data: CreatedWebhookEndpoint }>(ENDPOINTS, body, { 'idempotency-key': 'own' })).body.data.id
    const [first, second] = [await create(), await create()]
    expect(second).toBe(first)
    await until(async () => (await entriesOf(first)).length === 1 && (await noneWaits()))
    expect(await entriesOf(first)).toHaveLength(1)
    await webhooks.remove(first)
  })
})

describe('deliveries', () => {
  test('an event arrives, a replay sends it again, and so does a test event', async () => {
    const { id, path } = await endpoint()
    const eventId = await send('cases.created')
    await finished(id, 'DELIVERED')
    expect(receiver.at(path).map(({ headers }) => headers['webhook-id'])).toEqual([eventId])
    const period = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() }
    const replay = await client.post(`${OPERATIONS}/endpoints/${id}/replay`, period)
    expect(replay.status).toBe(200)
    await finished(id, 'DELIVERED', 2)
    const tested = await client.post(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.created' })
    expect(tested.status).toBe(200)
    await finished(id, 'DELIVERED', 3)
    expect(receiver.at(path)).toHaveLength(3)
    await webhooks.remove(id)
  })
})

describe('the role on the server of webhooks', () => {
  const sql = connect(own.urlOf('webhooks'), { max: 1, applicationName: 'test' })
  own.beforeDrop(() => sql.end({ timeout: 1 }))

  test('uses one schema beside the public one', async () => {
    const schemas = await sql<{ name: string }[]>`
      select nspname as name from pg_namespace
      where has_schema_privilege(oid, 'usage') and nspname !~ '^(pg_|information_schema$)' order by 1`
    expect(schemas.map(({ name }) => name)).toEqual(['public', 'webhooks'])
  })

  test.each([
    'select from organization.callers',
    'select from identity.ended_sessions',
    'insert into organization.audit_log (id) values (1)',
  ])('%p reaches nothing', async (statement) => {
    await expect(sql.unsafe(statement).execute()).rejects.toMatchObject({ code: '42P01' })
  })
})

test('an entry of another service cannot be copied', async () => {
  const sql = connect(db.urlOf('webhooks'), { max: 1, applicationName: 'test' })
  db.beforeDrop(() => sql.end({ timeout: 1 }))
  const entry = { id: 'audit_1', org_id: org.orgId, procedure: 'user.create', success: true, actor_id: 'user_1' }
  const copied = sql`select organization.copy_audit_entry(${JSON.stringify(entry)}::text::jsonb)`.execute()
  await expect(copied).rejects.toThrow('the procedure user.create is not one of webhooks')
})

test('a signed-out session is refused within a second', async () => {
  const member = await org.member(['webhook:manage'])
  expect((await member.client.get(ENDPOINTS)).status).toBe(200)
  const [session] = (await member.client.get<Page<Session>>('/flows/v1/sessions')).body.items
  expect((await client.post(`/flows/v1/sessions/${session?.id}/end`)).status).toBe(204)
  await until(async () => (await member.client.get(ENDPOINTS)).status === 401, { withinMs: 1000 })
  expect((await member.client.post(ENDPOINTS, { url: receiver.urlOf('/x'), events: ['cases.*'] })).status).toBe(401)
})

const checks = async () => {
  const answer = await fetch(`http://127.0.0.1:${market.running.healthPort}/checks`)
  const { checks: all } = (await answer.json()) as {
    checks: { component: string; dependency: string; failure: string | null }[]
  }
  return all
    .filter(({ component }) => component === 'webhooks')
    .map(({ dependency, failure }) => [dependency, failure === null])
}
const gauge = async (name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
  return text.split('\n').find((line) => line.startsWith(`${name}{`) && line.includes('"webhooks"'))
}

/** An event of another system of the platform, which needs no Postgres of ours. */
async function publishElsewhere(id: string): Promise<void> {
  const { nc, js } = await connectOnce({ url: nats.url }, 'another-system')
  const event = { specversion: '1.0', id, source: '/another/system', type: 'cases.created', subject: 'case_9' }
  const more = { time: new Date().toISOString(), tenantid: org.orgId, data: {} }
  await js.publish(event.type, JSON.stringify({ ...event, ...more }), { msgID: id })
  await nc.close()
}

describe('while the server of the others is down', () => {
  test('commands and new tokens are 503, and recorded deliveries and new events still arrive', async () => {
    const { id, path } = await endpoint()
    const unseen = await org.member(['webhook:manage'])
    receiver.status = 500
    await send('cases.created')
    await until(() => receiver.at(path).length === 1, { what: 'the failed attempt' })
    expect(await checks()).toEqual([
      ['Postgres', true],
      ['the Postgres of the other services', true],
      ['NATS', true],
    ])
    mainProxy.cut()
    receiver.status = 200
    await publishElsewhere('other-1')
    await until(() => receiver.at(path).some(({ headers }) => headers['webhook-id'] === 'other-1'))
    const answers = [
      await client.post<Refused>(ENDPOINTS, { url: receiver.urlOf('/x'), events: ['cases.*'] }),
      await unseen.client.get<Refused>(ENDPOINTS),
    ]
    for (const { status, body, headers } of answers) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
    }
    expect(await checks()).toEqual([
      ['Postgres', true],
      ['the Postgres of the other services', false],
      ['NATS', true],
    ])
    expect(await gauge('marketplace_shared_database_up')).toEndWith(' 0')
    expect(await gauge('marketplace_database_up')).toEndWith(' 1')
    const delivered = async () =>
      (await own.owner`select from webhooks.deliveries where endpoint_id = ${id} and state = 'DELIVERED'`).length
    await until(async () => (await delivered()) === 2, { what: 'the second attempt' })
    expect(receiver.at(path)).toHaveLength(3)
  })

  test('everything recovers without a restart', async () => {
    mainProxy.restore()
    await until(async () => (await client.get(ENDPOINTS)).status === 200)
    const { id } = await until(async () => endpoint().catch(() => undefined))
    await until(async () => (await entriesOf(id)).length === 1, { what: 'the entry' })
    expect(await gauge('marketplace_shared_database_up')).toEndWith(' 1')
  })
})

describe('while the server of the others accepts connections but does not answer', () => {
  test('commands are 503 after the deadline of a statement, and meanwhile events are delivered', async () => {
    const { id, path } = await endpoint()
    const other = (await market.organization(['CONSUMER'])).administrator.client
    const body = { url: receiver.urlOf('/other'), events: ['cases.*'] }
    expect((await other.post(ENDPOINTS, body)).status).toBe(201)
    mainProxy.freeze()
    const began = performance.now()
    const commands = Array.from({ length: 4 }, (_, n) =>
      n % 2 === 0 ? other.post(ENDPOINTS, body) : client.post(`${OPERATIONS}/endpoints/${id}/rotate-secret`),
    )
    await publishElsewhere('other-2')
    await until(() => receiver.at(path).length === 1, { withinMs: 4000, what: 'the delivery' })
    // Two of an organization run at once, which is all that the pool has.
    const statuses = (await Promise.all(commands)).map(({ status }) => status)
    expect([...new Set(statuses)].filter((status) => status !== 429)).toEqual([503])
    expect(performance.now() - began).toBeLessThan(20_000)
    mainProxy.restore()
    await until(async () => (await client.post(`${OPERATIONS}/endpoints/${id}/rotate-secret`)).status === 200)
    await until(async () => (await client.get('/v1/parts')).status === 200)
  })
})

describe('while the server of webhooks is down', () => {
  test('webhooks are 503, and the other services work', async () => {
    ownProxy.cut()
    const refused = await client.get<Refused>(ENDPOINTS)
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable'])
    expect((await client.get('/v1/parts')).status).toBe(200)
    expect((await client.get('/v1/users')).status).toBe(200)
    const signedIn = await market.anonymous.post('/v2.3/oauth/token', {
      grant_type: 'password',
      username: org.administrator.email,
      password: TEST_PASSWORD,
    })
    expect(signedIn.status).toBe(200)
    await send('cases.updated')
  })

  test('events of the outage are delivered afterwards', async () => {
    ownProxy.restore()
    await until(async () => (await client.get(ENDPOINTS)).status === 200)
    await until(
      async () =>
        (await own.owner`select from webhooks.deliveries where type = 'cases.updated' and state = 'DELIVERED'`).length >
        0,
      { what: 'the delivery' },
    )
  })
})
