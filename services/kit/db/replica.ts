import { Refusal } from '../errors/refusal.ts'
import type { Log } from '../log/log.ts'
import type { Pool, Sql } from './client.ts'
import { isDependencyFailure } from './failures.ts'
import { LaterAnswer } from './later-answer.ts'
import type { PipelinedReads, Reads } from './pipelined-reads.ts'
import {
  checkedWithin,
  findPosition,
  findServer,
  findSession,
  findStandby,
  LateAnswer,
  type Position,
  type Server,
  type Standby,
} from './replica-queries.ts'

/** Longest wait of a read for the replica to catch up, after which the read uses the primary. */
const MAX_LAG_MS = 50
/** Longest wait for the answer to a check. A server that hangs costs a read this once. */
const CHECK_TIMEOUT_MS = 500
/** Longest time of a short read on the replica, after which the primary runs it. */
const SHORT_READ_MS = 1000
/** Pause before a replica that was left aside is checked again, and age at which the primary is asked who it is. */
const RECHECK_MS = 1000
/** The same for a replica that lags, because the primary's disk may have had a part of a record for a moment. */
const LAG_RECHECK_MS = 100
/** Pause between warnings of the same reason. */
const WARNING_PAUSE_MS = 60_000
/** The replica cancelled the read because it replays a change of the rows that the read needs. */
const CONFLICTS = new Set(['40001', '40P01'])
/** The driver closes a session that does not lead to a standby, and says no more of it. */
const NO_STANDBY = 'CONNECTION_DESTROYED'
/** The statement took too long, as it would on the primary. */
const TOO_SLOW = '57014'

/** Reads on the replica. */
interface ReplicaConnections {
  /** For transactions. Its connections may lead to different replicas. */
  sql: Pool
  /** The one connection of short reads. */
  pipeline: Pool
  reads: PipelinedReads
}

interface ReplicaOptions {
  primary: PipelinedReads
  replica: ReplicaConnections
  log: Log
  /** Counts a read by the server that answered it. */
  onRead(server: 'primary' | 'replica'): void
}

/** It may be over in a moment. */
class Lag extends Error {}
class NoReplica extends Error {}

/**
 * One or more streaming replicas behind an address, which serve reads. An answer counts if its session leads to a
 * standby of the primary that had replayed everything that the primary had committed before the call. So a read sees
 * what it would see on the primary, in every replica of the service. Reads that begin together share one question for
 * the primary's position.
 *
 * A replica that lags, does not answer, was promoted or follows another primary is left aside until a check finds it
 * caught up; reads use the primary meanwhile.
 */
export class Replica implements Reads {
  readonly #options: ReplicaOptions
  readonly #position: LaterAnswer<Position>
  /** The session of the connection of short reads. */
  readonly #session: LaterAnswer<string>
  #isUsed = false
  #recheckAt = 0
  #isRechecking = false
  #warned = { reason: '', atMs: Number.NEGATIVE_INFINITY }
  #primary: { identity: Promise<Server>; atMs: number } | undefined
  /** What the connection of short reads has last answered. */
  #known: Standby | undefined
  #asked: Promise<Standby> | undefined

  constructor(options: ReplicaOptions) {
    this.#options = options
    const { primary, replica } = options
    this.#position = new LaterAnswer(() => checkedWithin(CHECK_TIMEOUT_MS, 'primary', primary.query(findPosition)))
    this.#session = new LaterAnswer(async () => {
      // Statements that are sent now are on the connection before the question.
      await new Promise(setImmediate)
      return findSession(replica.pipeline)
    })
  }

  /** Runs a short read: one statement, or several that are sent together. */
  query<Rows>(read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    const { primary, replica } = this.#options
    const onReplica = () =>
      replica.reads.query((sql) => (sql === replica.pipeline ? this.#short(sql, read) : this.#inTransaction(read)))
    return this.#run(
      () => checkedWithin(SHORT_READ_MS, 'replica', onReplica()),
      () => primary.query(read),
    )
  }

  /** Runs a read on a pool: that of the replica, or the given one of the primary. */
  onPool<Rows>(primary: Pool, read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    return this.#run(
      () => this.#whileAnswering(this.#inTransaction(read)),
      () => read(primary),
    )
  }

  async close(): Promise<void> {
    const { sql, reads } = this.#options.replica
    await Promise.all([reads.close(), sql.end({ timeout: 5 })])
  }

  async #run<Rows>(onReplica: () => Promise<Rows>, onPrimary: () => PromiseLike<Rows>): Promise<Rows> {
    const { onRead } = this.#options
    if (!this.#isUsed) {
      void this.#recheck()
      onRead('primary')
      return onPrimary()
    }
    try {
      const rows = await onReplica()
      onRead('replica')
      return rows
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (error instanceof Refusal || code === TOO_SLOW) throw error
      const isOfReplica =
        [Lag, LateAnswer, NoReplica].some((kind) => error instanceof kind) || isDependencyFailure(error)
      if (isOfReplica && !CONFLICTS.has(code)) this.#leaveAside(error)
      onRead('primary')
      const rows = await onPrimary()
      // An error of the read itself is one on the primary, too.
      if (!isOfReplica) this.#leaveAside(error)
      return rows
    }
  }

  /** Reads on the connection of short reads, unless it is replaced meanwhile. */
  async #short<Rows>(sql: Sql, read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    const { session } = await this.#catchUp(() => this.#ask(), this.#known)
    const [rows, after] = await Promise.all([read(sql), this.#session.get()])
    if (after !== session) throw new Lag('the session on the replica was replaced')
    return rows
  }

  /** Reads in a transaction, which is one session. */
  async #inTransaction<Rows>(read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    const answer = await this.#options.replica.sql.begin('read only', async (tx) => {
      await this.#catchUp(() => checkedWithin(CHECK_TIMEOUT_MS, 'replica', findStandby(tx)))
      return { rows: await read(tx) }
    })
    return answer.rows as Rows
  }

  /** Fails when the replica stops to answer during a read. */
  async #whileAnswering<Rows>(read: Promise<Rows>): Promise<Rows> {
    const hung = Promise.withResolvers<never>()
    const timer = setInterval(
      () => checkedWithin(CHECK_TIMEOUT_MS, 'replica', this.#session.get()).catch(hung.reject),
      CHECK_TIMEOUT_MS,
    )
    try {
      return await Promise.race([read, hung.promise])
    } finally {
      clearInterval(timer)
    }
  }

  /** The state of a session on the replica that has everything that the primary had at the call. */
  async #catchUp(ask: () => Promise<Standby>, known?: Standby): Promise<Standby> {
    const [position, identity] = await Promise.all([this.#position.get(), this.#identityOfPrimary()])
    const startedMs = performance.now()
    for (let state = known ?? (await ask()); ; state = await ask()) {
      requireReplica(state, identity, position)
      if (state.replayed >= position.bytes) return state
      if (performance.now() - startedMs > MAX_LAG_MS) {
        throw new Lag(`the replica lags by ${position.bytes - state.replayed} bytes of the log`)
      }
    }
  }

  /** Asks the connection of short reads. */
  #ask(): Promise<Standby> {
    this.#asked ??= checkedWithin(CHECK_TIMEOUT_MS, 'replica', findStandby(this.#options.replica.pipeline))
      .then((state) => {
        this.#known = state
        return state
      })
      .finally(() => {
        this.#asked = undefined
      })
    return this.#asked
  }

  #identityOfPrimary(): Promise<Server> {
    const nowMs = performance.now()
    if (!this.#primary || nowMs - this.#primary.atMs > RECHECK_MS) {
      const identity = checkedWithin(CHECK_TIMEOUT_MS, 'primary', this.#options.primary.query(findServer))
      this.#primary = { identity, atMs: nowMs }
    }
    return this.#primary.identity
  }

  #leaveAside(error: unknown): void {
    this.#isUsed = false
    this.#known = undefined
    this.#primary = undefined
    this.#recheckAt = performance.now() + (error instanceof Lag ? LAG_RECHECK_MS : RECHECK_MS)
    this.#warn(error)
  }

  async #recheck(): Promise<void> {
    if (this.#isRechecking || performance.now() < this.#recheckAt) return
    this.#isRechecking = true
    try {
      await Promise.all([this.#catchUp(() => this.#ask()), this.#inTransaction(async () => undefined)])
      this.#isUsed = true
      this.#options.log.debug('reads use the replica')
    } catch (error) {
      this.#leaveAside(error)
    } finally {
      this.#isRechecking = false
    }
  }

  #warn(err: unknown): void {
    const reason = err instanceof Lag ? 'lag' : String(err)
    const nowMs = performance.now()
    if (reason === this.#warned.reason && nowMs - this.#warned.atMs < WARNING_PAUSE_MS) return
    this.#warned = { reason, atMs: nowMs }
    const { code } = err as { code?: unknown }
    const hint = code === NO_STANDBY ? 'Is the server of DATABASE_READ_URL a standby?' : undefined
    this.#options.log.warn({ err, hint }, 'reads use the primary, because the replica cannot serve them')
  }
}

/**
 * Refuses a server that does not replay the log of the primary. After a failover a standby has the new timeline from
 * its next restart point on; until then its rows may be those of the former primary.
 */
function requireReplica(state: Standby, primary: Server, { timeline }: Position): void {
  if (!state.isStandby) throw new NoReplica('the server of DATABASE_READ_URL is no standby')
  if (state.system !== primary.system) throw new NoReplica('the replica belongs to another database server')
  if (state.database !== primary.database) throw new NoReplica('DATABASE_READ_URL names another database')
  if (state.user !== primary.user) throw new NoReplica('DATABASE_READ_URL names another user')
  if (!primary.waitsForDisk) throw new NoReplica('commits do not wait for the disk: synchronous_commit is off')
  if (state.timeline !== timeline) throw new NoReplica('the replica is on another timeline than the primary')
}
