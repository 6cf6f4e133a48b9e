import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { ServiceName } from '../../../proto/services.ts'
import type { Sql } from '../../../services/kit/db/client.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { Deployment } from '../../../services/testing/deployment.ts'
import { MarketLoad } from '../../../services/testing/market-load.ts'
import { createFixtures } from '../../../services/testing/marketplace.ts'
import { TcpProxy } from '../../../services/testing/proxy.ts'
import { signInOverHttp } from '../../../services/testing/sign-in.ts'
import { until } from '../../../services/testing/until.ts'
import { importDefaults } from '../../commands/operator/catalog.ts'
import { migrateAsOwner, passwordsOf, rehearsalFolder, startServer } from './server.ts'
import { activeReads, askAgain, connectionsTo, standbysOf } from './standbys.ts'

setDefaultTimeout(300_000)
const folder = await rehearsalFolder('standby')
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '100000', DATABASE_POOL_SIZE: '4' }

const primary = await startServer(folder, 'primary', { wal_level: 'replica', wal_keep_size: '256MB' })
await migrateAsOwner(primary.db, passwordsOf(''))
await importDefaults(primary.db.ownerUrl)
const { startStandby, newStandby } = standbysOf(folder, primary)
let standby = await newStandby('standby')
const askStandby = <T>(query: (sql: Sql) => Promise<T>, { db } = standby) => askAgain(db.owner, query)
const toStandby = new TcpProxy(standby.db.ownerUrl)
const readUrlOf = (service: ServiceName) => {
  const url = new URL(primary.db.urlOf(service))
  url.port = new URL(toStandby.url).port
  return url.href
}
const deployment = await Deployment.start({ db: { ...primary.db, readUrlOf }, natsUrl: undefined, env })
const fixtures = await createFixtures(primary.db, signInOverHttp(deployment.url))
const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
const replicas = deployment.replicasOf('sourcing')
/** The replicas of the service, without the ingress. */
const clients = replicas.map(({ client }) => new ApiClient(client.url, org.administrator.client.accessToken))
const [one] = clients as [ApiClient, ...ApiClient[]]

/** Reads that a server has answered, of all replicas of the service. */
async function readsOf(server: 'primary' | 'standby'): Promise<number> {
  const pages = await Promise.all(replicas.map(async ({ health }) => (await fetch(`${health}/metrics`)).text()))
  const line = new RegExp(`^marketplace_database_reads_total\\{(?=[^}]*server="${server}")[^}]*\\} (\\d+)`, 'm')
  return pages.reduce((sum, page) => sum + Number(line.exec(page)?.[1] ?? 0), 0)
}

/** Reads until a server answers. */
async function untilServedBy(server: 'primary' | 'standby', withinMs = 30_000): Promise<void> {
  const before = await readsOf(server)
  await until(
    async () => {
      for (const client of clients) expect((await client.get('/v1/parts')).status).toBe(200)
      return (await readsOf(server)) > before + clients.length
    },
    { withinMs, what: `reads of the ${server}` },
  )
}

/** Changes a part and reads it from each replica of the service at once. */
async function expectOwnWrites(times: number): Promise<void> {
  const { body: part } = await one.post<Part>('/v1/parts', { title: 'Bracket' })
  for (let time = 0; time < times; time++) {
    const title = `Bracket ${time}`
    const changed = await one.send('PATCH', `/flows/v1/parts/${part.id}`, { body: { title } })
    expect(changed.status).toBe(200)
    const answers = await Promise.all(clients.map((client) => client.get<Part>(`/v1/parts/${part.id}`)))
    expect(answers.map(({ body }) => body.title)).toEqual(clients.map(() => title))
    const lists = await Promise.all(clients.map((client) => client.get<{ items: Part[] }>('/v1/parts?view=IP_OWNER')))
    expect(lists.map(({ body }) => body.items[0]?.title)).toEqual(clients.map(() => title))
  }
}

test('a standby serves reads, and each replica of the service shows what a command has written', async () => {
  await untilServedBy('standby')
  const before = await readsOf('standby')
  await expectOwnWrites(100)
  expect(await readsOf('standby')).toBeGreaterThan(before + 20)
})

const connections = (standbyUrl: string, primaryUrl = primary.db.ownerUrl) => connectionsTo(primaryUrl, standbyUrl)

test('a read that the standby cancels because of a vacuum is answered by the primary', async () => {
  const { answered, reads, close } = connections(toStandby.url)
  await primary.db.owner`create table vacuumed (number integer)`
  await primary.db.owner`insert into vacuumed (number) select generate_series(1, 1000)`
  const count = (seconds: number) =>
    reads.long(
      (on) => on<{ count: number }[]>`
      select count(*)::integer as count from (select number from vacuumed, pg_sleep(${seconds}) offset 0) rows`,
    )
  const isServed = async () => {
    await count(0)
    return answered.at(-1) === 'standby'
  }
  await until(isServed, { what: 'reads of the standby' })
  const before = answered.length
  const slow = count(1)
  const isRunning = async () =>
    (await standby.db.owner`select from pg_stat_activity where application_name = 'test-reads' and state = 'active'`)
      .length > 0
  await until(isRunning, { what: 'a read on the standby' })
  await primary.db.owner`delete from vacuumed where number > 500`
  await primary.db.owner.unsafe('vacuum vacuumed')
  expect([...(await slow)]).toEqual([{ count: 500 }])
  expect(answered.slice(before)).toEqual(['primary'])
  await close()
})

test('while the replay is paused the primary serves reads; afterwards the standby does again', async () => {
  await askStandby((sql) => sql`select pg_wal_replay_pause()`)
  const isPaused = async () => {
    const [row] = await askStandby((sql) => sql<{ state: string }[]>`select pg_get_wal_replay_pause_state() as state`)
    return row?.state === 'paused'
  }
  await until(isPaused, { what: 'a paused replay' })
  await expectOwnWrites(3)
  await untilServedBy('primary')
  await askStandby((sql) => sql`select pg_wal_replay_resume()`)
  await untilServedBy('standby')
})

test('a standby that is frozen, unreachable and killed under load causes no error', async () => {
  const load = new MarketLoad(org, deployment.url)
  await load.more(5)
  toStandby.freeze()
  await load.more(5)
  await untilServedBy('primary')
  toStandby.restore()
  await untilServedBy('standby')

  toStandby.cut()
  await load.more(5)
  await untilServedBy('primary')
  toStandby.restore()
  await untilServedBy('standby')

  await standby.kill()
  await load.more(5)
  await untilServedBy('primary')
  standby = await startStandby('standby')
  toStandby.switchTo(standby.db.ownerUrl)
  await untilServedBy('standby')

  await load.stop()
  expect(load.failures).toEqual([])
})

test('a promoted standby is left aside, and what it wrote is not shown', async () => {
  await untilServedBy('standby')
  await askStandby((sql) => sql`select pg_promote()`)
  await untilServedBy('primary', 5_000)
  await standby.db.owner`truncate sourcing.parts cascade`
  const before = await readsOf('standby')
  await expectOwnWrites(20)
  expect(await readsOf('standby')).toBe(before)

  for (const end of await deployment.stop()) expect(end).toMatchObject({ exitCode: 0 })
  toStandby.close()
  await standby.stop()
})

describe('while the primary is idle', () => {
  const isServedBy =
    ({ answered, reads }: ReturnType<typeof connections>, server: string) =>
    async () => {
      await Promise.all([reads.short((on) => on`select 1`), reads.long((on) => on`select 1`)])
      return answered.at(-1) === server && answered.at(-2) === server
    }

  /** Sessions that begin now do not use the standby, whatever number of checks there are. */
  async function expectUnused(standbyUrl: string): Promise<void> {
    const of = connections(standbyUrl)
    const began = performance.now()
    await until(async () => (await isServedBy(of, 'primary')()) && performance.now() - began > 2_500)
    expect(new Set(of.answered)).toEqual(new Set(['primary']))
    await of.close()
  }

  test('several standbys behind one address, or one after another, never show an older state', async () => {
    const [first, second] = [await newStandby('first'), await newStandby('second')]
    const proxy = new TcpProxy(first.db.ownerUrl)
    const balanced = connections(proxy.url)
    await primary.db.owner`create table written as select 0 as number`
    await until(isServedBy(balanced, 'standby'), { what: 'reads of the standby' })
    await askStandby((sql) => sql`select pg_wal_replay_pause()`, second)
    proxy.leadNewTo(second.db.ownerUrl)
    const before = balanced.answered.length
    const number = (on: Sql) => on<{ number: number }[]>`select number from written`
    for (let written = 1; written <= 20; written++) {
      await primary.db.owner`update written set number = ${written}`
      // More than the pool has connections, so that some are new.
      const answers = await Promise.all([
        balanced.reads.short(number),
        ...Array.from({ length: 4 }, () => balanced.reads.long(number)),
      ])
      expect(new Set(answers.map(([row]) => row?.number))).toEqual(new Set([written]))
    }
    expect(balanced.answered.slice(before)).toContain('primary')
    const isShort = async () => {
      await balanced.reads.short(number)
      return balanced.answered.at(-1) === 'standby'
    }
    await until(isShort, { what: 'short reads of the first standby' })
    proxy.cut()
    proxy.restore()
    // Nothing was written since the last answer, so only the session tells that the server is another one.
    expect(await balanced.reads.short(number)).toMatchObject([{ number: 20 }])
    expect(await balanced.reads.long(number)).toMatchObject([{ number: 20 }])
    await balanced.close()
    proxy.close()
    await Promise.all([first.stop(), second.kill()])
  })

  test('a standby that refuses new sessions or hangs during a long read causes no error', async () => {
    const refusing = await newStandby('refusing')
    const proxy = new TcpProxy(refusing.db.ownerUrl)
    const through = connections(proxy.url)
    await until(isServedBy(through, 'standby'), { what: 'reads of the standby' })
    // The read ends at once on the primary alone.
    const began = performance.now()
    const long = through.reads.long((on) => on`select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`)
    await until(async () => (await askStandby(activeReads, refusing)).length === 1, { what: 'the long read' })
    proxy.freeze()
    await long
    expect(through.answered.at(-1)).toBe('primary')
    // The connection itself would notice after 6 s.
    expect(performance.now() - began).toBeLessThan(5_000)
    proxy.restore()

    await until(isServedBy(through, 'standby'), { withinMs: 20_000, what: 'reads of the standby again' })
    const rules = join(refusing.data, 'pg_hba.conf')
    const accepted = await Bun.file(rules).text()
    await Bun.write(rules, accepted.replaceAll('127.0.0.1/32', '127.0.0.2/32'))
    await askStandby((sql) => sql`select pg_reload_conf()`, refusing)
    const ended = (sql: Sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'commit%'`
    await askStandby(async (sql) => ended(sql), refusing)
    for (let read = 0; read < 20; read++) await through.reads.long((on) => on`select 1`)
    expect(new Set(through.answered.slice(-20))).toEqual(new Set(['primary']))
    await through.close()
    proxy.close()
    await refusing.kill()
  })

  test('a standby that freezes or is promoted, another database, and commits that do not wait are left aside', async () => {
    await primary.db.owner.unsafe('create database staging')
    const idle = await newStandby('idle')
    const proxy = new TcpProxy(idle.db.ownerUrl)
    const through = connections(proxy.url)
    await until(isServedBy(through, 'standby'), { what: 'reads of the standby' })
    proxy.freeze()
    await until(isServedBy(through, 'primary'), { withinMs: 4_000, what: 'reads of the primary' })
    proxy.restore()
    await until(isServedBy(through, 'standby'), { withinMs: 20_000, what: 'reads of the standby again' })

    const staging = new URL(idle.db.ownerUrl)
    staging.pathname = '/staging'
    await expectUnused(staging.href)
    await primary.db.owner.unsafe('alter database postgres set synchronous_commit = off')
    await expectUnused(idle.db.ownerUrl)
    await primary.db.owner.unsafe('alter database postgres reset synchronous_commit')

    await askStandby((sql) => sql`select pg_promote()`, idle)
    await until(isServedBy(through, 'primary'), { withinMs: 5_000, what: 'reads of the primary' })
    await through.close()
    proxy.close()
    await idle.stop()
  })

  test('after a failover, a standby that has more of the former primary than the new one serves no read', async () => {
    const [promoted, ahead] = [await newStandby('promoted'), await newStandby('ahead')]
    await primary.db.owner`create table kept as select 'before' as text`
    const textOn = async (sql: Sql) => (await sql<{ text: string }[]>`select text from kept`)[0]?.text
    const shows = (server: typeof promoted, text: string) => () =>
      askStandby(textOn, server).then(
        (shown) => shown === text,
        () => false,
      )
    for (const server of [promoted, ahead]) await until(shows(server, 'before'), { what: 'the table on a standby' })
    await askStandby((sql) => sql`select pg_wal_replay_pause()`, promoted)
    await promoted.kill()
    await primary.db.owner`update kept set text = 'lost'`
    await until(shows(ahead, 'lost'), { what: 'the last write on the other standby' })
    await primary.kill()
    const newPrimary = await startStandby('promoted')
    await askStandby((sql) => sql`select pg_promote()`, newPrimary)

    const after = connections(ahead.db.ownerUrl, newPrimary.db.ownerUrl)
    const began = performance.now()
    await until(async () => {
      expect(await Promise.all([after.reads.short(textOn), after.reads.long(textOn)])).toEqual(['before', 'before'])
      return performance.now() - began > 2_500
    })
    expect(new Set(after.answered)).toEqual(new Set(['primary']))
    await after.close()
    await Promise.all([newPrimary.stop(), ahead.kill()])
  })
})
