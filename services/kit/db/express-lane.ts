import { connect, type Pool, type Sql } from './client.ts'

/** Who comes to the lane waits about this long at most; what would take longer goes to the pool. */
const MAX_WAIT_MS = 10
/** How much the newest answer counts in how long the next one is thought to take. */
const NEWEST_SHARE = 1 / 8
/** More than ever wait there. */
const QUERIES_AT_ONCE = 1000
/** With fewer connections there is none to spare. */
const SMALLEST_WITH_LANE = 4

/**
 * One connection on which short reads follow each other without waiting for answers: many go out in one write and come
 * back in one read, and Postgres need not be woken for each. Under load that is half as much work again for the same
 * processor. Only for statements that an index bounds, whatever their parameters: they wait for whoever is before them.
 *
 * When the lane is slow (a disk that is far away, a lock) those who come next take the pool, where nobody waits for
 * anybody; so it never holds more than what it answers in `MAX_WAIT_MS`.
 */
export class ExpressLane {
  readonly #pool: Pool
  readonly #lane: Pool | undefined
  #waiting = 0
  /** Since when the lane has been busy with what it answers next. */
  #busySinceMs = 0
  /** How long an answer takes it, as of late. */
  #answerMs = 0

  /** Without a lane everything goes to the pool. */
  constructor(pool: Pool, lane: Pool | undefined) {
    this.#pool = pool
    this.#lane = lane
  }

  /** Sends a short read where it is answered soonest. It sees all that was committed before. */
  async ask<Rows>(query: (sql: Sql) => PromiseLike<Rows>): Promise<Rows> {
    const askedMs = performance.now()
    if (!this.#lane || this.#isSlow(askedMs)) return query(this.#pool)
    if (this.#waiting === 0) this.#busySinceMs = askedMs
    this.#waiting++
    try {
      return await query(this.#lane)
    } finally {
      const answeredMs = performance.now()
      this.#answerMs += (answeredMs - this.#busySinceMs - this.#answerMs) * NEWEST_SHARE
      this.#busySinceMs = answeredMs
      this.#waiting--
    }
  }

  async close(): Promise<void> {
    await this.#lane?.end({ timeout: 5 })
  }

  #isSlow(nowMs: number): boolean {
    if (this.#waiting === 0) return false
    return nowMs - this.#busySinceMs > MAX_WAIT_MS || this.#waiting * this.#answerMs > MAX_WAIT_MS
  }
}

/** The connections that a service may have: a pool, and one of them as the lane where there are enough. */
export function connectService(url: string, size: number, applicationName: string): { sql: Pool; lane: ExpressLane } {
  const hasLane = size >= SMALLEST_WITH_LANE
  const sql = connect(url, { max: hasLane ? size - 1 : size, applicationName })
  const lane = hasLane ? connect(url, { max: 1, applicationName, queriesAtOnce: QUERIES_AT_ONCE }) : undefined
  return { sql, lane: new ExpressLane(sql, lane) }
}
