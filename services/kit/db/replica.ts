import type { Log } from '../log/log.ts'
import type { Pool, Sql } from './client.ts'
import { isDependencyFailure } from './failures.ts'
import type { PipelinedReads, Reads } from './pipelined-reads.ts'
import { checkedWithin, findPosition, findReplayed, findServer, LateAnswer } from './replica-queries.ts'

/** Longest wait of a read for the replica to catch up, after which the read uses the primary. */
const MAX_LAG_MS = 50
/** Longest wait for the answer to a check. A server that hangs costs a read this once. */
const CHECK_TIMEOUT_MS = 500
/** Longest time of a short read on the replica, after which the primary runs it. */
const SHORT_READ_MS = 1000
/** Pause before a replica that was left aside is checked again, and age at which a check of the server is repeated. */
const RECHECK_MS = 1000
/** The replica cancelled the read because it replays a change of the rows that the read needs. */
const CONFLICTS = new Set(['40001', '40P01'])
/** The statement took too long, as it would on the primary. */
const TOO_SLOW = '57014'

/** Reads of a service on one server. */
export interface ReadConnections {
  sql: Pool
  reads: PipelinedReads
}

interface ReplicaOptions {
  primary: PipelinedReads
  replica: ReadConnections
  log: Log
  /** Counts a read by the server that answered it. */
  onRead(server: 'primary' | 'replica'): void
}

/**
 * A streaming replica that serves reads. A read begins on it when it has replayed everything that the primary had
 * committed before the call, so it sees what a read on the primary would see, in every replica of the service. Reads
 * that begin together share one question for the primary's position.
 *
 * A replica that lags, does not answer, was promoted or follows another primary is left aside until a check finds it
 * caught up; reads use the primary meanwhile.
 */
export class Replica implements Reads {
  readonly #options: ReplicaOptions
  #isUsed = false
  #recheckAt = 0
  #isRechecking = false
  /** Time of the last check that the server is a standby of this primary. */
  #verifiedAt = Number.NEGATIVE_INFINITY
  #verification: Promise<void> | undefined
  /** The position that the replica is known to have replayed, in bytes of the log. */
  #replayed = 0
  #replay: Promise<number> | undefined
  #asked: Promise<number> | undefined
  #next: Promise<number> | undefined

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** Runs a short read. */
  query<Rows>(read: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    const { primary, replica } = this.#options
    return this.#run(
      () => checkedWithin(SHORT_READ_MS, replica.reads.query(read)),
      () => primary.query(read),
    )
  }

  /** Runs a read on a pool: that of the replica, or the given one of the primary. */
  onPool<Rows>(primary: Pool, read: (sql: Pool) => PromiseLike<Rows>): Promise<Rows> {
    return this.#run(
      () => read(this.#options.replica.sql),
      () => read(primary),
    )
  }

  async close(): Promise<void> {
    const { sql, reads } = this.#options.replica
    await Promise.all([reads.close(), sql.end({ timeout: 5 })])
  }

  async #run<Rows>(onReplica: () => PromiseLike<Rows>, onPrimary: () => PromiseLike<Rows>): Promise<Rows> {
    const { onRead } = this.#options
    if (await this.#isCaughtUp()) {
      try {
        const rows = await onReplica()
        onRead('replica')
        return rows
      } catch (error) {
        const { code } = error as { code: string }
        const isOfReplica = error instanceof LateAnswer || isDependencyFailure(error)
        if (!isOfReplica || code === TOO_SLOW) throw error
        if (!CONFLICTS.has(code)) this.#leaveAside(error)
      }
    }
    onRead('primary')
    return onPrimary()
  }

  async #isCaughtUp(): Promise<boolean> {
    if (!this.#isUsed) {
      void this.#recheck()
      return false
    }
    try {
      await this.#catchUp()
      return true
    } catch (error) {
      this.#leaveAside(error)
      return false
    }
  }

  /** Resolves when the replica has everything that the primary had at the call. */
  async #catchUp(): Promise<void> {
    const [position] = await Promise.all([this.#positionOfPrimary(), this.#verify()])
    const startedMs = performance.now()
    while (this.#replayed < position) {
      this.#replay ??= this.#askReplayed()
      await this.#replay
      if (this.#replayed < position && performance.now() - startedMs > MAX_LAG_MS) {
        throw new Error(`the replica lags by ${position - this.#replayed} bytes of the log`)
      }
    }
  }

  /**
   * The position of the primary at the call or later. A question that was sent before the call may miss a commit that
   * the caller knows, so the call waits for the next one.
   */
  #positionOfPrimary(): Promise<number> {
    this.#next ??= (async () => {
      await this.#asked?.catch(() => {})
      this.#asked = this.#next
      this.#next = undefined
      return checkedWithin(CHECK_TIMEOUT_MS, this.#options.primary.query(findPosition))
    })()
    return this.#next
  }

  async #askReplayed(): Promise<number> {
    try {
      this.#replayed = await checkedWithin(CHECK_TIMEOUT_MS, this.#options.replica.reads.query(findReplayed))
      return this.#replayed
    } finally {
      this.#replay = undefined
    }
  }

  /** Checks from time to time that the server still is a standby of this primary. */
  async #verify(): Promise<void> {
    if (performance.now() - this.#verifiedAt < RECHECK_MS) return
    this.#verification ??= this.#compareServers().finally(() => {
      this.#verification = undefined
    })
    await this.#verification
  }

  /**
   * After a failover the standby has the new primary's timeline from its next restart point on; until then its rows may
   * be those of the former primary.
   */
  async #compareServers(): Promise<void> {
    const { primary, replica } = this.#options
    const [own, other] = await checkedWithin(
      CHECK_TIMEOUT_MS,
      Promise.all([primary.query(findServer), replica.reads.query(findServer)]),
    )
    if (!other.isStandby) throw new Error('the server of DATABASE_READ_URL is no standby')
    if (own.system !== other.system) throw new Error('the replica belongs to another database server')
    if (own.database !== other.database) throw new Error('DATABASE_READ_URL names another database')
    if (!own.waitsForDisk) throw new Error('commits do not wait for the disk: synchronous_commit is off')
    if (own.timeline !== other.timeline) throw new Error('the replica is on another timeline than the primary')
    this.#verifiedAt = performance.now()
  }

  #leaveAside(err: unknown): void {
    this.#recheckAt = performance.now() + RECHECK_MS
    if (!this.#isUsed) return
    this.#isUsed = false
    this.#verifiedAt = Number.NEGATIVE_INFINITY
    this.#options.log.warn({ err }, 'the replica is left aside; reads use the primary')
  }

  async #recheck(): Promise<void> {
    if (this.#isRechecking || performance.now() < this.#recheckAt) return
    this.#isRechecking = true
    try {
      this.#replayed = 0
      await this.#catchUp()
      this.#isUsed = true
      this.#options.log.info('reads use the replica')
    } catch (err) {
      this.#options.log.debug({ err }, 'the replica is not used yet')
      this.#recheckAt = performance.now() + RECHECK_MS
    } finally {
      this.#isRechecking = false
    }
  }
}
