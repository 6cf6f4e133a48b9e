import { describe, expect, test } from 'bun:test'
import { captureLog } from '../testing/captured-log.ts'
import { testDatabase } from '../testing/database.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { until } from '../testing/until.ts'

const db = await testDatabase()
const setForRole = (setting: string) =>
  db.owner.unsafe(`alter role marketplace_sourcing in database "${db.name}" ${setting}`)
await setForRole("set lock_timeout = '100ms'")
const log = captureLog()
const market = await marketplaceWithWorkers(['sourcing'], { DATABASE_POOL_SIZE: '4', LOG_LEVEL: 'warn' }, db, {
  logDestination: log.destination,
})
const { client } = (await market.organization(['IP_OWNER'])).administrator

interface Problem {
  id: string
  code: string
  detail: string
}

const create = () => client.post<Problem>('/v1/parts', { title: 'Impeller' })
const metrics = async () => (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
const causes = () =>
  log.texts.map((text) => JSON.parse(text)).filter(({ msg }: { msg: string }) => msg === 'requests are 503')

describe('while Postgres takes no writes', () => {
  test('a command is 503 with Retry-After, reads are 200, and the process is ready', async () => {
    await setForRole('set default_transaction_read_only = on')
    await db.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${db.name} and usename = 'marketplace_sourcing'`
    await until(async () => (await client.get('/v1/parts')).status === 200)
    const { status, headers, body } = await create()
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(body).toMatchObject({ code: 'unavailable', detail: 'A dependency is down; try again in a moment.' })
    expect((await client.get('/v1/parts?view=IP_OWNER')).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${market.running.healthPort}/readyz`)).status).toBe(200)
  })

  test('the cause is in a metric, and once in the log', async () => {
    for (let n = 0; n < 4; n++) expect((await create()).status).toBe(503)
    expect(await metrics()).toMatch(
      /^marketplace_unavailable_total\{dependency="postgres",code="25006",component="sourcing"\} 5$/m,
    )
    const readOnly = causes().filter(({ code }) => code === '25006')
    expect(readOnly).toEqual([
      expect.objectContaining({
        level: 'warn',
        service: 'sourcing',
        dependency: 'postgres',
        err: expect.objectContaining({ message: 'cannot execute INSERT in a read-only transaction' }),
        requestId: expect.any(String),
      }),
    ])
  })

  test('commands succeed soon after it takes writes again, although no session was ended', async () => {
    await setForRole('reset default_transaction_read_only')
    await until(async () => (await create()).status === 200, { withinMs: 3000 })
    const unsent = async () => (await db.owner`select from sourcing.outbox where sent_at is null limit 1`).length
    await until(async () => (await unsent()) === 0, { withinMs: 5000 })
  })
})

test('a command that waits for the lock of another one says so', async () => {
  const { id } = (await create()).body
  await db.owner.begin(async (tx) => {
    await tx`select id from sourcing.parts where id = ${id} for update`
    const { status, headers, body } = await client.send<Problem>('PATCH', `/flows/v1/parts/${id}`, {
      body: { title: 'Rotor' },
    })
    expect([status, headers.get('retry-after'), body.detail]).toEqual([
      503,
      '1',
      'Other requests are changing the same records; try again in a moment.',
    ])
  })
  expect(causes().filter(({ code }) => code === '55P03')).toHaveLength(1)
})

test('the role of each service waits less for a lock than for a statement', async () => {
  const rows = await db.owner<{ role: string; settings: string[] }[]>`
    select r.rolname as role, s.setconfig as settings
    from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
    where s.setdatabase = 0 and r.rolname like 'marketplace\\_%' order by 1`
  expect(rows).toHaveLength(5)
  for (const { settings } of rows) {
    expect(settings).toContain('lock_timeout=4s')
    expect(settings).toContain('statement_timeout=5s')
  }
})
