import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { connect } from '../kit/db/client.ts'
import { newId } from '../kit/db/ids.ts'
import { testDatabase } from '../testing/database.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { serverOfWebhooks } from '../testing/own-server.ts'
import { spawnService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'
import { ENDPOINTS, OPERATIONS, webhooksOf } from '../testing/webhooks.ts'

setDefaultTimeout(60_000)
const nats = await natsServer()
await nats.start()
await ensureStreams({ url: nats.url })
const db = await testDatabase()
const own = await serverOfWebhooks(db)
const shared = db.urlOf('webhooks')
const market = await marketplaceWithWorkers(
  ['webhooks'],
  {
    NATS_URL: nats.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    WEBHOOKS_DATABASE_URL: own.urlOf('webhooks'),
    WEBHOOKS_DATABASE_DIRECT_URL: own.urlOf('webhooks'),
    SHARED_DATABASE_URL: shared,
    // Hostile entries fail again and again, and each failure is logged.
    LOG_LEVEL: 'silent',
  },
  db,
)
// Registered last, so that the services close their connections first.
afterAll(() => nats.close())
const { client, org, endpoint } = await webhooksOf(market)

describe('who holds the role of webhooks', () => {
  const sql = connect(shared, { max: 1, applicationName: 'test' })
  db.beforeDrop(() => sql.end({ timeout: 1 }))
  const entry = (changes: object) => ({
    id: newId('audit'),
    org_id: org.orgId,
    timestamp: new Date().toISOString(),
    procedure: 'webhookEndpoint.create',
    success: true,
    actor_id: org.administrator.userId,
    ...changes,
  })
  const copy = (changes: object) =>
    sql`select organization.copy_audit_entry(${JSON.stringify(entry(changes))}::text::jsonb)`.execute()
  const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  test.each([
    ['of another service', { procedure: 'user.create' }],
    ['of another service that only begins alike', { procedure: 'webhookless' }],
    ['of nothing', { procedure: null }],
    ['of no time', { timestamp: null }],
    ['of the end of time', { timestamp: 'infinity' }],
    ['of the begin of time', { timestamp: '-infinity' }],
    ['before our era', { timestamp: '0044-03-15 00:00:00+00 BC' }],
    ['of tomorrow', { timestamp: daysFromNow(1) }],
    ['older than a year', { timestamp: daysFromNow(-400) }],
    ['with an id of another kind', { id: 'user_1' }],
    ['with an id that is too long', { id: `audit_${'x'.repeat(100)}` }],
    ['of no actor', { actor_id: null }],
    ['that failed without an error', { success: false }],
  ])('cannot copy an entry %s', async (_, changes) => {
    await expect(copy(changes)).rejects.toMatchObject({ severity: 'ERROR' })
    expect((await client.get('/v1/audit-log')).status).toBe(200)
  })

  test('can copy an entry that waited for a month', async () => {
    const id = newId('audit')
    await copy({ id, timestamp: daysFromNow(-30) })
    expect(await db.owner`select id from organization.audit_log where id = ${id}`).toHaveLength(1)
  })
})

test('an entry that can never be copied does not stop those after it', async () => {
  await own.owner`
    insert into webhooks.jobs (kind, id, tenant_id, data, created_at, due_at)
    select 'audit-entry', 'poison ' || n, ${org.orgId}, '{"procedure": "user.create"}', now(), now()
    from generate_series(1, 20) n`
  const { id } = await endpoint()
  await until(
    async () => (await db.owner`select from organization.audit_log where request ->> 'webhookId' = ${id}`).length === 1,
    { what: 'the copy' },
  )
  await own.owner`delete from webhooks.jobs where id like 'poison %'`
})

test('the entries of one organization do not delay those of another', async () => {
  const other = (await market.organization(['CONSUMER'])).administrator.client
  await own.owner`
    insert into webhooks.jobs (kind, id, tenant_id, data, created_at, due_at)
    select 'audit-entry', 'audit_flood' || n, ${org.orgId}, jsonb_build_object(
      'id', 'audit_flood' || n, 'org_id', ${org.orgId}::text, 'timestamp', now(), 'procedure', 'webhookEndpoint.test',
      'success', true, 'actor_id', ${org.administrator.userId}::text), now(), now()
    from generate_series(1, 3000) n`
  const body = { url: 'http://127.0.0.1:9/', events: ['cases.*'] }
  const { data } = (await other.post<{ data: { id: string } }>(ENDPOINTS, body)).body
  const copied = async () =>
    (await db.owner`select from organization.audit_log where request ->> 'webhookId' = ${data.id}`).length === 1
  await until(copied, { what: 'the copy' })
  const waiting = async () => (await own.owner`select from webhooks.jobs where id like 'audit_flood%'`).length
  expect(await waiting()).toBeGreaterThan(0)
  await own.owner`delete from webhooks.jobs where id like 'audit_flood%'`
})

const waitingCopies = async () => {
  const waiting = await db.owner`
    select from pg_stat_activity
    where datname = ${db.name} and usename = 'marketplace_webhooks' and wait_event_type = 'Lock'`
  return waiting.length
}

test('while the audit log is locked, tokens are checked and commands run', async () => {
  const { id } = await endpoint()
  const members = [await org.member(['webhook:manage']), await org.member(['webhook:manage'])]
  const locker = await db.owner.reserve()
  try {
    await locker.unsafe('begin; lock table organization.audit_log in share mode')
    await client.post(`${OPERATIONS}/endpoints/${id}/rotate-secret`)
    await client.post(`${OPERATIONS}/endpoints/${id}/rotate-secret`)
    await until(async () => (await waitingCopies()) > 0, { what: 'a copy that waits for the table' })
    const began = performance.now()
    for (let n = 0; n < 4; n++) {
      expect((await client.post(`${OPERATIONS}/endpoints/${id}/rotate-secret`)).status).toBe(200)
    }
    for (const member of members) expect((await member.client.get(ENDPOINTS)).status).toBe(200)
    // Copies wait for the table until their lock times out after four seconds.
    expect(performance.now() - began).toBeLessThan(3500)
  } finally {
    await locker.unsafe('rollback')
    locker.release()
  }
})

describe('a start is refused with a sentence', () => {
  const startWith = async (url: string) => {
    const { child } = spawnService('webhooks', own, nats.url, { SHARED_DATABASE_URL: url })
    return [await child.exited, await new Response(child.stderr).text()]
  }

  test('where SHARED_DATABASE_URL leads to the Postgres of webhooks', async () => {
    expect(await startWith(own.urlOf('webhooks'))).toEqual([
      1,
      'SHARED_DATABASE_URL leads to a Postgres where webhooks may not copy audit entries. It must be that of the other services, and scripts/migrate must have run with WEBHOOKS_OWNER_DATABASE_URL.\n',
    ])
  })

  test('where no Postgres of webhooks alone was announced to that of the others', async () => {
    expect(await startWith((await testDatabase()).urlOf('webhooks'))).toEqual([
      1,
      expect.stringContaining('SHARED_DATABASE_URL leads to a Postgres where webhooks may not copy audit entries.'),
    ])
  })

  test('where SHARED_DATABASE_URL leads to another installation', async () => {
    const other = await testDatabase()
    await other.owner`grant execute on function organization.copy_audit_entry(jsonb) to marketplace_webhooks`
    await other.owner`update organization.installation set id = 'another'`
    expect(await startWith(other.urlOf('webhooks'))).toEqual([
      1,
      'SHARED_DATABASE_URL leads to the installation another, and DATABASE_URL to the installation test.\n',
    ])
  })
})
