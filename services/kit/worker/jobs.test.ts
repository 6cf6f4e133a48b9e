import { expect, test } from 'bun:test'
import { jobQueue } from '../../testing/jobs.ts'
import { until } from '../../testing/until.ts'
import { cancelJobs, extendLease, measureJobs, wakeJob } from './job-queries.ts'
import type { JobKind } from './jobs.ts'

const { db, sql, now, results, start, end, isEmpty, work, claim } = await jobQueue()

test('two workers run each of many jobs once, and no job twice at a time', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `job_${n}`)
  await start('count', ids)
  const runs: string[] = []
  const kind: JobKind = {
    kind: 'count',
    slots: 4,
    pauseAfter: () => 0,
    async run(job) {
      runs.push(job.id)
      expect(await end(job)).toBe(true)
    },
  }
  const workers = [work(kind), work(kind)]
  await until(isEmpty, { withinMs: 10_000, what: 'the end of all jobs' })
  await Promise.all(workers.map(({ stop }) => stop()))
  expect(runs.sort()).toEqual(ids.toSorted())
  expect(results).toEqual(ids.map(() => 'count done'))
})

test('the job of a worker that was killed runs again after its lease, not before', async () => {
  await start('killed', ['job_1'], { data: { url: 'a' } })
  const dead = await claim('killed', { leaseMs: 700 })
  const claimedMs = performance.now()
  expect(dead?.row.attempts).toBe(1)
  const seen: object[] = []
  const { stop } = work({
    kind: 'killed',
    slots: 1,
    pauseAfter: () => 0,
    async run(job) {
      seen.push({ id: job.id, attempts: job.attempts, data: job.data })
      await end(job)
    },
  })
  await until(isEmpty, { withinMs: 5_000, what: 'the second attempt' })
  expect(performance.now() - claimedMs).toBeGreaterThan(600)
  expect(seen).toEqual([{ id: 'job_1', attempts: 2, data: { url: 'a' } }])
  await stop()
})

test('a worker whose lease was lost can neither end nor continue the job, nor extend its lease', async () => {
  await start('stale', ['job_1'])
  const stale = await claim('stale', { leaseMs: 1 })
  const later = await until(() => claim('stale'), { what: 'the later claim' })
  if (!stale || !later) throw new Error('no job was claimed')
  expect(await extendLease(sql, stale.row, 60_000, { step: 7 })).toHaveLength(0)
  expect(await sql.begin((tx) => stale.job.hold(tx))).toBeUndefined()
  await sql.begin((tx) => stale.job.continue(tx, { step: 7 }))
  expect(await end(stale.job)).toBe(false)
  expect(await sql.begin((tx) => later.job.hold(tx))).toEqual({})
  expect(await end(later.job)).toBe(true)
  expect(await isEmpty()).toBe(true)
})

test('a failed job is tried again after growing pauses, and the third failure is its last', async () => {
  await start('failing', ['job_1'])
  const attempts: { atMs: number; attempt: number }[] = []
  const failures: object[] = []
  const { stop } = work({
    kind: 'failing',
    slots: 1,
    maxAttempts: 3,
    pauseAfter: (attempt) => attempt * 300,
    async run(job) {
      attempts.push({ atMs: performance.now(), attempt: job.attempts })
      throw new Error(`attempt ${job.attempts}`)
    },
    async onFailure(job, error, isLast) {
      failures.push({ error: String(error), isLast })
      if (isLast) await end(job)
    },
  })
  await until(isEmpty, { withinMs: 10_000, what: 'the last failure' })
  await stop()
  expect(failures).toEqual([
    { error: 'Error: attempt 1', isLast: false },
    { error: 'Error: attempt 2', isLast: false },
    { error: 'Error: attempt 3', isLast: true },
  ])
  const [first, second, third] = attempts.map(({ atMs }) => atMs) as [number, number, number]
  expect(second - first).toBeGreaterThan(290)
  expect(third - second).toBeGreaterThan(590)
  expect(results).toEqual(['failing retried', 'failing retried', 'failing failed'])
})

test('a final failure and an expired job are not tried again; a job whose workers crashed is not run a further time', async () => {
  const ended: string[] = []
  const runs: string[] = []
  const kind: JobKind = {
    kind: 'over',
    slots: 1,
    maxAttempts: 2,
    pauseAfter: () => 0,
    isFinal: (error) => String(error) === 'Error: final',
    async run(job) {
      runs.push(job.id)
      throw new Error('final')
    },
    async onFailure(job, error, isLast) {
      ended.push(`${job.id} ${(error as Error).name} ${isLast}`)
      await end(job)
    },
  }
  await start('over', ['final'])
  await start('over', ['expired'], { expiresAt: now() })
  await start('over', ['crashing'])
  await db.owner`update webhooks.jobs set attempts = 2 where id = 'crashing'`
  const { stop } = work(kind)
  await until(isEmpty, { what: 'the end of all jobs' })
  await stop()
  expect(runs).toEqual(['final'])
  expect(ended.sort()).toEqual(['crashing TimeoutError true', 'expired TimeoutError true', 'final Error true'])
})

test('a job that a shutdown stops is due at once, and its attempt does not count', async () => {
  await start('stopped', ['job_1'])
  const begun = Promise.withResolvers<void>()
  const { stop } = work({
    kind: 'stopped',
    slots: 1,
    maxAttempts: 1,
    pauseAfter: () => 60_000,
    async run(job, signal) {
      job.report = { bytes: 5 }
      begun.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  await begun.promise
  await stop()
  const again = await claim('stopped')
  expect(again?.row).toMatchObject({ attempts: 1, progress: { bytes: 5 } })
  expect(results).toEqual([])
})

test('a mass update that is stopped between its steps continues behind the last one, with each effect once', async () => {
  await db.owner`create table webhooks.test_effects (value integer primary key)`
  await db.owner`grant insert on webhooks.test_effects to marketplace_webhooks`
  const LAST = 30
  const failing = new Set([10, 20])
  const kind: JobKind<unknown, { at: number }> = {
    kind: 'steps',
    slots: 1,
    maxAttempts: 2,
    pauseAfter: () => 10,
    run: (job) =>
      sql.begin(async (tx) => {
        const progress = await job.hold(tx)
        if (!progress) return
        const value = (progress.at ?? 0) + 1
        await tx`insert into webhooks.test_effects (value) values (${value})`
        // Effect and progress are rolled back together.
        if (failing.delete(value)) throw new Error('rolled back')
        if (value === LAST) await job.end(tx)
        else await job.continue(tx, { at: value })
      }),
  }
  const count = async () => (await db.owner`select from webhooks.test_effects`).length
  await start('steps', ['all'])
  const first = work(kind)
  await until(async () => (await count()) >= 5, { what: 'the first steps' })
  await first.stop()
  expect(await count()).toBeLessThan(LAST)
  const second = work(kind)
  await until(isEmpty, { withinMs: 10_000, what: 'the last step' })
  await second.stop()
  const values = await db.owner<{ value: number }[]>`select value from webhooks.test_effects order by value`
  expect(values.map(({ value }) => value)).toEqual(Array.from({ length: LAST }, (_, n) => n + 1))
})

test('a job that is started again while it runs begins again', async () => {
  await start('again', ['all'])
  const running = await claim('again')
  if (!running) throw new Error('no job was claimed')
  await sql.begin((tx) => running.job.continue(tx, { at: 5 }))
  const next = await claim('again')
  if (!next) throw new Error('no job was claimed')
  expect(next.row.progress).toEqual({ at: 5 })
  await start('again', ['all'])
  expect(await sql.begin((tx) => next.job.hold(tx))).toEqual({})
})

test('a cancelled job ends its signal, and cannot be ended or recorded', async () => {
  await start('cancelled', ['job_1', 'job_2'])
  const ended: boolean[] = []
  const begun: string[] = []
  const { stop } = work({
    kind: 'cancelled',
    slots: 2,
    pauseAfter: () => 0,
    async run(job, signal) {
      begun.push(job.id)
      if (job.id === 'job_2') return void (await end(job))
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended.push(await end(job))
    },
  })
  await until(() => begun.length === 2, { what: 'both jobs' })
  await sql.begin((tx) => cancelJobs(tx, 'cancelled', ['job_1']))
  await until(() => ended.length === 1, { withinMs: 5_000, what: 'the end of the signal' })
  expect(ended).toEqual([false])
  await stop()
  expect(await isEmpty()).toBe(true)
})

test('a job without a due time waits until it is woken', async () => {
  await start('waiting', ['job_1'])
  const running = await claim('waiting')
  await sql.begin(async (tx) => running?.job.continue(tx, { at: 1 }, Number.POSITIVE_INFINITY))
  expect(await claim('waiting')).toBeUndefined()
  await sql.begin((tx) => wakeJob(tx, 'waiting', 'job_1', now()))
  expect((await claim('waiting'))?.row.progress).toEqual({ at: 1 })
})

test('metrics count the jobs of each kind, and the time for which the oldest due one waits', async () => {
  await start('measured', ['job_1', 'job_2', 'job_3'])
  await db.owner`update webhooks.jobs set due_at = now() - interval '90 seconds' where id = 'job_2'`
  await db.owner`update webhooks.jobs set due_at = 'infinity' where id = 'job_3'`
  const [measured, none] = (await measureJobs(sql, ['measured', 'none'], now())).toSorted((a, b) => b.queued - a.queued)
  expect(measured).toMatchObject({ kind: 'measured', queued: 3 })
  expect(measured?.oldest_ms).toBeWithin(89_000, 100_000)
  expect(none).toEqual({ kind: 'none', queued: 0, oldest_ms: null })
  await claim('measured')
  const [running] = await measureJobs(sql, ['measured'], now())
  expect(running?.oldest_ms).toBeLessThan(89_000)
})
