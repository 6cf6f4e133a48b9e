import { LRUCache } from 'lru-cache'
import { MINUTE_MS, timeAt } from '../../../proto/durations.ts'
import type { Pool } from '../db/client.ts'
import type { Reads } from '../db/pipelined-reads.ts'
import type { Log } from '../log/log.ts'
import { findCursor, type PageCursor, writeCursors } from './queries.ts'

export interface CursorStoreOptions {
  sql: Pool
  reads: Reads
  clock: () => number
  log: Log
}

const LIFETIME_MS = 15 * MINUTE_MS
/** Cursors that wait to be written; further ones are dropped, and their next page is found by its offset. */
const MAX_UNWRITTEN = 5000
/** Pause between two batches, so that writes do not crowd out reads. */
const WRITE_INTERVAL_MS = 10
/** An unchanged cursor, of a page that is polled for instance, is written at most this often. */
const REWRITE_AFTER_MS = 1000

const textOf = ({ page, startAfter, endPosition }: PageCursor) => JSON.stringify([page, startAfter, endPosition])

/**
 * Page cursors in Postgres, shared by the replicas. They are written after the response, so no request waits for a
 * write. Until then only this process knows the cursor; another replica finds the next page by its offset.
 */
export class CursorStore {
  readonly #options: CursorStoreOptions
  readonly #unwritten = new Map<string, PageCursor>()
  readonly #written = new LRUCache<string, string>({ max: 20_000, ttl: REWRITE_AFTER_MS })
  #isWriting = false

  constructor(options: CursorStoreOptions) {
    this.#options = options
  }

  async find(key: string): Promise<PageCursor | undefined> {
    const unwritten = this.#unwritten.get(key)
    if (unwritten) return unwritten
    const { reads, clock } = this.#options
    const [cursor] = await reads.short((sql) => findCursor(sql, key, timeAt(clock())))
    return cursor
  }

  /** Replaces the cursor of its key. */
  put(cursor: PageCursor): void {
    const { key } = cursor
    // A newer cursor of a waiting key replaces the older one and needs no room.
    if (!this.#unwritten.has(key)) {
      const isStored = this.#written.get(key) === textOf(cursor)
      if (isStored || this.#unwritten.size >= MAX_UNWRITTEN) return
    }
    this.#unwritten.set(key, cursor)
    if (!this.#isWriting) void this.#write()
  }

  async #write(): Promise<void> {
    const { sql, clock, log } = this.#options
    this.#isWriting = true
    while (this.#unwritten.size > 0) {
      const batch = [...this.#unwritten.values()]
      try {
        await writeCursors(sql, batch, timeAt(clock() + LIFETIME_MS))
        for (const cursor of batch) this.#written.set(cursor.key, textOf(cursor))
      } catch (error) {
        log.warn({ err: error }, 'page cursors were not written; their next pages will be found by offset')
      }
      for (const cursor of batch) {
        if (this.#unwritten.get(cursor.key) === cursor) this.#unwritten.delete(cursor.key)
      }
      await Bun.sleep(WRITE_INTERVAL_MS)
    }
    this.#isWriting = false
  }
}
