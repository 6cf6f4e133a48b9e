import { describe, expect, test } from 'bun:test'
import { jobQueue } from '../../testing/jobs.ts'
import { workOf } from '../../testing/query-plans.ts'
import { until } from '../../testing/until.ts'
import { cancelJobs, claimJob, startJob, wakeJob } from './job-queries.ts'
import type { JobKind } from './jobs.ts'

const { db, sql, now, results, start, end, isEmpty, work, claim } = await jobQueue()

describe('tenants', () => {
  test('concurrent claims never exceed the limit of a tenant, whatever its number of jobs', async () => {
    await db.owner`
      insert into webhooks.jobs (kind, id, tenant_id, created_at, due_at)
      select 'bound', 'many_' || n, 'org_many', now(), now() - interval '1 hour' from generate_series(1, 20000) n`
    await start('bound', ['one_1', 'one_2', 'one_3'], { tenantId: 'org_one' })
    await db.owner`analyze webhooks.jobs, webhooks.job_turns`
    const startedMs = performance.now()
    const claimed = await Promise.all(Array.from({ length: 40 }, () => claim('bound', { tenantSlots: 2 })))
    // Some claims of the first round lose against others.
    for (;;) {
      const more = await claim('bound', { tenantSlots: 2 })
      if (!more) break
      claimed.push(more)
    }
    expect(performance.now() - startedMs).toBeLessThan(3_000)
    const tenants = claimed.flatMap((one) => one?.row.tenant_id ?? [])
    expect(tenants.sort()).toEqual(['org_many', 'org_many', 'org_one', 'org_one'])
  })

  test('a claim reads the next turn from an index, whatever the number of tenants', async () => {
    await db.owner`
      insert into webhooks.jobs (kind, id, tenant_id, created_at, due_at)
      select 'many', 'job_' || n, 'org_' || n % 1000, now(), now() - interval '1 hour' from generate_series(1, 2000) n`
    await db.owner`analyze webhooks.jobs, webhooks.job_turns`
    const kinds = [{ kind: 'many', tenantSlots: 1, leaseMs: 60_000 }]
    const work = await workOf(db.urlOf('webhooks'), (sql) => claimJob(sql, crypto.randomUUID(), kinds, now()))
    expect(work.mostRows).toBeLessThan(10)
    expect(work.blocks).toBeLessThan(100)
  })

  test('a tenant at its limit and one whose jobs are not due are passed over until a job ends or is due', async () => {
    await start('passed', ['a_1', 'a_2'], { tenantId: 'org_a' })
    await start('passed', ['b_1', 'b_2'], { tenantId: 'org_b' })
    await db.owner`update webhooks.jobs set due_at = 'infinity' where id = 'b_2'`
    const claimNext = () => claim('passed', { tenantSlots: 1 })
    const running = [await claimNext(), await claimNext()]
    const [first, second] = running.toSorted((a, b) => (a?.row.id ?? '').localeCompare(b?.row.id ?? ''))
    if (!first || !second) throw new Error('no job was claimed')
    expect(await claimNext()).toBeUndefined()
    await end(second.job)
    expect(await claimNext()).toBeUndefined()
    await end(first.job)
    expect((await claimNext())?.row.id).toBe('a_2')
    await sql.begin((tx) => wakeJob(tx, 'passed', 'b_2', now()))
    expect((await claimNext())?.row.id).toBe('b_2')
  })

  test('jobs that start while others are claimed and end run without waiting for the end of a lease', async () => {
    const kind: JobKind = {
      kind: 'busy',
      slots: 2,
      tenantSlots: 2,
      leaseMs: 60_000,
      pauseAfter: () => 0,
      async run(job) {
        await end(job)
      },
    }
    const workers = [work(kind), work(kind)]
    const startSome = async (starter: number) => {
      for (let n = 0; n < 25; n++) {
        await start('busy', [`job_${starter}_${n}`], { tenantId: `org_${starter % 2}` })
        for (const { wake } of workers) wake()
      }
    }
    await Promise.all([0, 1, 2, 3].map(startSome))
    await until(isEmpty, { withinMs: 10_000, what: 'the end of all jobs' })
    await Promise.all(workers.map(({ stop }) => stop()))
    expect(results).toHaveLength(100)
  })

  test('run, and start further jobs, while a transaction that starts one commits slowly', async () => {
    const startIn = (id: string, tenantId: string, until: Promise<unknown>) => {
      const started = Promise.withResolvers<void>()
      const ended = sql.begin(async (tx) => {
        await startJob(tx, { kind: 'slow', id, tenantId }, now())
        // Runs the triggers of the commit.
        await tx`set constraints all immediate`
        started.resolve()
        await until
      })
      return { started: started.promise, ended }
    }
    await start('slow', ['a_1'], { tenantId: 'org_a' })
    const commit = Promise.withResolvers<void>()
    const slow = startIn('a_2', 'org_a', commit.promise)
    await slow.started
    await start('slow', ['a_3'], { tenantId: 'org_a' })
    expect((await claim('slow'))?.row.id).toBe('a_1')
    expect((await claim('slow'))?.row.id).toBe('a_3')
    expect(await claim('slow')).toBeUndefined()
    commit.resolve()
    await slow.ended
    expect((await claim('slow'))?.row.id).toBe('a_2')
  })

  test('have a turn while they have jobs, and none without', async () => {
    const turns = () => db.owner<{ turn: string }[]>`
      select tenant_id || case when turn_at = 'infinity' then ' none' when turn_at > now() then ' later' else '' end as turn
      from webhooks.job_turns order by tenant_id`
    const turnsAre = async (...expected: string[]) => expect((await turns()).map(({ turn }) => turn)).toEqual(expected)
    await start('turn', ['a_1', 'a_2'], { tenantId: 'org_a' })
    await start('turn', ['b_1'], { tenantId: 'org_b' })
    await sql.begin((tx) => cancelJobs(tx, 'turn', ['a_1', 'a_2']))
    await turnsAre('org_a none', 'org_b')
    const running = await claim('turn')
    await sql.begin(async (tx) => running?.job.continue(tx, undefined, 60_000))
    await turnsAre('org_a none', 'org_b later')
    await start('turn', ['a_1'], { tenantId: 'org_a' })
    await sql.begin((tx) => wakeJob(tx, 'turn', 'b_1', now()))
    await turnsAre('org_a', 'org_b')
    for (let n = 0; n < 2; n++) {
      const job = await claim('turn')
      if (job) await end(job.job)
    }
    await turnsAre('org_a none', 'org_b none')
  })

  test('take turns, the longest due job of each first', async () => {
    await start('turns', ['a_1', 'a_2', 'a_3'], { tenantId: 'org_a' })
    await start('turns', ['b_1', 'b_2'], { tenantId: 'org_b' })
    await db.owner`update webhooks.jobs set due_at = now() - right(id, 1)::integer * interval '-1 ms' - interval '1 second'`
    const order: (string | undefined)[] = []
    for (let n = 0; n < 6; n++) order.push((await claim('turns'))?.row.id)
    expect(order.slice(0, 2).sort()).toEqual(['a_1', 'b_1'])
    expect(order.slice(2, 4).sort()).toEqual(['a_2', 'b_2'])
    expect(order.slice(4)).toEqual(['a_3', undefined])
  })
})
