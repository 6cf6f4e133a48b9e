import { expect, test } from 'bun:test'
import { pipeline } from 'node:stream/promises'
import { connect, type Pool } from '../kit/db/client.ts'
import { startJob } from '../kit/worker/job-queries.ts'
import { JobWorker } from '../kit/worker/jobs.ts'
import { migrateTest, testDatabase } from '../testing/database.ts'
import { emptyServer } from '../testing/own-server.ts'
import { until } from '../testing/until.ts'

const [main, own] = [await testDatabase(), await emptyServer()]
await migrateTest(own.ownerUrl, { part: 'webhooks' })

/** What `pg_dump` copies by the options of GROWTH.md: no partitions, no unlogged tables, nor the two that it names. */
const tablesOf = async (sql: Pool) =>
  (
    await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'webhooks'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relpersistence = 'p' and relname not in ('schema_migrations', 'job_turns')
      order by relname`
  ).map(({ name }) => name)

async function copyAll(from: Pool, to: Pool): Promise<void> {
  await to.begin(async (tx) => {
    for (const name of await tablesOf(from)) {
      const rows = await from`copy (table webhooks.${from(name)}) to stdout`.readable()
      await pipeline(rows, await tx`copy webhooks.${tx(name)} from stdin`.writable())
    }
  })
}

async function countsOf(sql: Pool): Promise<Record<string, number>> {
  const counts = (await tablesOf(sql)).map(async (name) => {
    const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from webhooks.${sql(name)}`
    return [name, row?.count ?? 0] as const
  })
  return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0))
}

test('the rows of webhooks move to an empty server in one transaction, and their jobs run there', async () => {
  await main.owner.unsafe(`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    values ('wh_1', 'org_1', 'https://example.com', '{cases.*}', 'active', 'x', now(), now());
    insert into webhooks.replays (endpoint_id, from_time, to_time, created_at) values ('wh_1', now(), now(), now());
    insert into webhooks.events (id, timestamp, org_id, type, body)
    select 'evt_' || number, now() - number * interval '20 days', 'org_1', 'cases.created', '{}'
    from generate_series(0, 4) number;
    insert into webhooks.attempts (delivery_id, number, timestamp, duration_ms) values ('del_1', 1, now(), 1);
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
    values ('del_1', 'org_1', 'wh_1', 'evt_1', now(), 'cases.created', now(), now())`)
  const before = connect(main.urlOf('webhooks'), { max: 1, applicationName: 'test' })
  await before.begin((tx) => startJob(tx, { kind: 'moved', id: 'job_1', tenantId: 'org_1' }, new Date().toISOString()))
  await before.end({ timeout: 1 })

  await copyAll(main.owner, own.owner)
  const counts = { attempts: 1, deliveries: 1, endpoints: 1, events: 5, jobs: 1, replays: 1 }
  expect([await countsOf(main.owner), await countsOf(own.owner)]).toEqual([counts, counts])

  const sql = connect(own.urlOf('webhooks'), { max: 2, applicationName: 'test' })
  own.beforeDrop(() => sql.end({ timeout: 1 }))
  const ran: string[] = []
  const log = { info() {}, warn() {}, error() {} }
  const worker = new JobWorker('moved', { sql, clock: Date.now, log }, [
    {
      kind: 'moved',
      slots: 1,
      pauseAfter: () => 100,
      async run(job) {
        ran.push(job.id)
        await job.settle((tx) => job.end(tx))
      },
    },
  ])
  const stopping = new AbortController()
  const running = worker.run(stopping.signal)
  await until(() => ran.length > 0, { what: 'the job' })
  stopping.abort()
  await running
  expect(ran).toEqual(['job_1'])
}, 60_000)
