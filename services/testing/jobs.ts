import { afterAll, beforeEach } from 'bun:test'
import { connect } from '../kit/db/client.ts'
import { createLog } from '../kit/log/log.ts'
import { claimJob, startJob } from '../kit/worker/job-queries.ts'
import { Job, type JobKind, JobWorker } from '../kit/worker/jobs.ts'
import { testDatabase } from './database.ts'

/** The queue of jobs of a service on a database of its own, which is empty at the start of each test. */
export async function jobQueue() {
  const db = await testDatabase()
  const sql = connect(db.urlOf('webhooks'), { max: 8, applicationName: 'test-jobs' })
  const stopping = new Set<() => Promise<void>>()
  afterAll(async () => {
    await Promise.all([...stopping].map((stop) => stop()))
    await sql.end()
  })
  const log = createLog({ service: 'webhooks', version: '0', level: 'silent' })
  const now = () => new Date().toISOString()
  const results: string[] = []
  const deps = {
    sql,
    clock: Date.now,
    log,
    observe: (kind: string, result: string) => void results.push(`${kind} ${result}`),
  }
  beforeEach(async () => {
    results.length = 0
    await db.owner`truncate webhooks.jobs, webhooks.job_turns`
  })

  const start = (
    kind: string,
    ids: readonly string[],
    more: { tenantId?: string; data?: object; expiresAt?: string } = {},
  ) =>
    sql.begin(async (tx) => {
      for (const id of ids) await startJob(tx, { kind, id, ...more }, now())
    })
  const end = (job: Job) => sql.begin((tx) => job.end(tx))
  const isEmpty = async () => (await db.owner`select from webhooks.jobs`).length === 0

  /** Starts a worker, which the returned function stops. */
  function work(...kinds: JobKind[]) {
    const stopped = new AbortController()
    const worker = new JobWorker('test jobs', deps, kinds)
    const running = worker.run(stopped.signal)
    const stop = async () => {
      stopped.abort()
      stopping.delete(stop)
      await running
    }
    stopping.add(stop)
    return { stop, wake: worker.wake }
  }

  /** Claims a job as a worker that crashes afterwards. */
  async function claim(kind: string, { leaseMs = 60_000, tenantSlots = 1_000 } = {}) {
    const [row] = await claimJob(sql, crypto.randomUUID(), [{ kind, tenantSlots, leaseMs }], now())
    return row && { row, job: new Job(deps, row, leaseMs) }
  }

  return { db, sql, now, results, start, end, isEmpty, work, claim }
}
