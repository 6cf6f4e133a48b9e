import { LaterAnswer } from '../answers/later-answer.ts'
import { within } from '../answers/within.ts'
import { Refusal } from '../errors/refusal.ts'
import type { Log } from '../log/log.ts'
import type { Pool, Sql } from './client.ts'
import { isDependencyFailure } from './failures.ts'
import type { PipelinedReads, Query, Reads } from './pipelined-reads.ts'
import {
  findPosition,
  findServer,
  findState,
  type LogPosition,
  type Server,
  type StandbyState,
} from './standby-queries.ts'

/** Longest wait of a read for the standby to catch up, after which the read uses the primary. */
const MAX_LAG_MS = 50
/** Longest wait for the answer to a check. A server that hangs costs a read this once. */
const CHECK_TIMEOUT_MS = 500
/** Longest time of a short read on the standby, after which the primary runs it. */
const SHORT_READ_MS = 1000
/** Pause between two checks of the servers. */
const CHECK_PAUSE_MS = 1000
/** Pause after a lag, which may be short: the primary's position can include a record that is only written in part. */
const LAG_PAUSE_MS = 100
/** Pause between warnings of the same reason. */
const WARNING_PAUSE_MS = 60_000
/** The standby cancelled the read because it replays a change of the rows that the read needs. */
const CONFLICTS = new Set(['40001', '40P01'])
/** The only error of the driver for a session that does not lead to a standby. */
const CLOSED = 'CONNECTION_DESTROYED'
/** The statement took too long, as it would on the primary. */
const TOO_SLOW = '57014'

interface StandbyOptions {
  primary: Reads
  /** For transactions. Its connections may lead to different standbys. */
  pool: Pool
  /** The one connection of short reads. */
  pipeline: Pool
  reads: PipelinedReads
  log: Log
  /** Counts a read by the server that answered it. */
  onRead(server: 'primary' | 'standby'): void
}

class Unusable extends Error {}
class Lag extends Unusable {}

/**
 * One or more streaming standbys behind an address, which serve reads. An answer counts if its session leads to a
 * standby of the primary that had replayed everything that the primary had committed before the call. So a read sees
 * what it would see on the primary, in every replica of the service. Reads that begin together share one question for
 * the primary's position.
 *
 * A standby that lags, does not answer, was promoted or follows another primary is not used until a check finds that it
 * has caught up; reads use the primary meanwhile.
 */
export class Standby implements Reads {
  readonly #options: StandbyOptions
  readonly #position: LaterAnswer<LogPosition>
  /** The state in the session of short reads. */
  readonly #state: LaterAnswer<StandbyState>
  #known: StandbyState | undefined
  /** What the last check found. Undefined: reads use the primary. */
  #primary: Server | undefined
  #checkAt = 0
  #isChecking = false
  #warned = { reason: '', atMs: Number.NEGATIVE_INFINITY }

  constructor(options: StandbyOptions) {
    this.#options = options
    const { primary, pipeline } = options
    this.#position = new LaterAnswer(() => answerOf('primary', CHECK_TIMEOUT_MS, primary.short(findPosition)))
    this.#state = new LaterAnswer(async () => {
      // Statements that are sent now are on the connection before the question.
      await new Promise(setImmediate)
      this.#known = await answerOf('standby', CHECK_TIMEOUT_MS, findState(pipeline))
      return this.#known
    })
  }

  short<Rows>(query: Query<Rows>): Promise<Rows> {
    const { primary, reads, pipeline } = this.#options
    const onStandby = (server: Server) =>
      reads.short((sql) =>
        sql === pipeline ? this.#onPipeline(sql, server, query) : this.#inTransaction(server, query),
      )
    return this.#run(
      (server) => answerOf('standby', SHORT_READ_MS, onStandby(server)),
      () => primary.short(query),
    )
  }

  long<Rows>(query: Query<Rows>): Promise<Rows> {
    return this.#run(
      (server) => this.#whileAnswering(this.#inTransaction(server, query)),
      () => this.#options.primary.long(query),
    )
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.reads.close(), this.#options.pool.end({ timeout: 5 })])
  }

  async #run<Rows>(onStandby: (primary: Server) => Promise<Rows>, onPrimary: () => Promise<Rows>): Promise<Rows> {
    const { onRead } = this.#options
    void this.#check()
    if (!this.#primary) {
      onRead('primary')
      return onPrimary()
    }
    try {
      const rows = await onStandby(this.#primary)
      onRead('standby')
      return rows
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (error instanceof Refusal || code === TOO_SLOW) throw error
      const isOfStandby = error instanceof Unusable || isDependencyFailure(error)
      if (isOfStandby && !CONFLICTS.has(code)) this.#suspend(error)
      onRead('primary')
      const rows = await onPrimary()
      // The primary has no such error, so it is one of the standby.
      if (!isOfStandby) this.#suspend(error)
      return rows
    }
  }

  /** Reads on the connection of short reads, unless it is replaced meanwhile. */
  async #onPipeline<Rows>(sql: Sql, primary: Server, query: Query<Rows>): Promise<Rows> {
    const { session } = await this.#catchUp(primary, () => this.#state.get(), this.#known)
    const [rows, after] = await Promise.all([query(sql), this.#state.get()])
    if (after.session !== session) throw new Lag('the session on the standby was replaced')
    return rows
  }

  /** Reads in a transaction, which is one session. */
  async #inTransaction<Rows>(primary: Server, query: Query<Rows>): Promise<Rows> {
    const answer = await this.#options.pool.begin('read only', async (tx) => {
      await this.#catchUp(primary, () => answerOf('standby', CHECK_TIMEOUT_MS, findState(tx)))
      return { rows: await query(tx) }
    })
    return answer.rows as Rows
  }

  /** Fails when the standby stops to answer during a read. */
  async #whileAnswering<Rows>(read: Promise<Rows>): Promise<Rows> {
    const hung = Promise.withResolvers<never>()
    const timer = setInterval(() => this.#state.get().catch(hung.reject), CHECK_TIMEOUT_MS)
    try {
      return await Promise.race([read, hung.promise])
    } finally {
      clearInterval(timer)
    }
  }

  /** The state of a session on the standby that has everything that the primary had at the call. */
  async #catchUp(primary: Server, ask: () => Promise<StandbyState>, known?: StandbyState): Promise<StandbyState> {
    const position = await this.#position.get()
    const startedMs = performance.now()
    for (let state = known ?? (await ask()); ; state = await ask()) {
      requireStandbyOf(primary, state, position)
      if (state.replayed >= position.bytes) return state
      if (performance.now() - startedMs > MAX_LAG_MS) {
        throw new Lag(`the standby lags by ${position.bytes - state.replayed} bytes of the log`)
      }
    }
  }

  /** Checks at intervals whether reads may use the standby, and that it follows the connected primary. */
  async #check(): Promise<void> {
    if (this.#isChecking || performance.now() < this.#checkAt) return
    this.#isChecking = true
    this.#checkAt = performance.now() + CHECK_PAUSE_MS
    try {
      const primary = await answerOf('primary', CHECK_TIMEOUT_MS, this.#options.primary.short(findServer))
      await Promise.all([
        this.#catchUp(primary, () => this.#state.get()),
        this.#inTransaction(primary, async () => undefined),
      ])
      if (!this.#primary) this.#options.log.debug('reads use the standby')
      this.#primary = primary
    } catch (error) {
      this.#suspend(error)
    } finally {
      this.#isChecking = false
    }
  }

  #suspend(err: unknown): void {
    this.#primary = undefined
    this.#known = undefined
    const nowMs = performance.now()
    this.#checkAt = nowMs + (err instanceof Lag ? LAG_PAUSE_MS : CHECK_PAUSE_MS)
    const reason = err instanceof Lag ? 'lag' : String(err)
    if (reason === this.#warned.reason && nowMs - this.#warned.atMs < WARNING_PAUSE_MS) return
    this.#warned = { reason, atMs: nowMs }
    const { code } = err as { code?: unknown }
    const hint = code === CLOSED ? 'Is the server of DATABASE_READ_URL a standby?' : undefined
    this.#options.log.warn({ err, hint }, 'reads use the primary, because the standby cannot serve them')
  }
}

/**
 * Refuses a server that does not replay the log of the primary. After a failover a standby has the new timeline from
 * its next restart point on; until then its rows may be those of the former primary.
 */
function requireStandbyOf(primary: Server, state: StandbyState, { timeline }: LogPosition): void {
  if (!state.isStandby) throw new Unusable('the server of DATABASE_READ_URL is no standby')
  if (state.system !== primary.system) throw new Unusable('the standby belongs to another database server')
  if (state.database !== primary.database) throw new Unusable('DATABASE_READ_URL names another database')
  if (state.user !== primary.user) throw new Unusable('DATABASE_READ_URL names another user')
  if (!primary.waitsForDisk) throw new Unusable('commits do not wait for the disk: synchronous_commit is off')
  if (state.timeline !== timeline) throw new Unusable('the standby is on another timeline than the primary')
}

/** The answer of a server, or a failure when it takes longer. */
const answerOf = <T>(server: 'primary' | 'standby', limitMs: number, answer: Promise<T>): Promise<T> =>
  within(limitMs, answer, () => new Unusable(`the ${server} did not answer within ${limitMs} ms`))
