import { LRUCache } from 'lru-cache'
import type { Pool } from '../db/client.ts'
import type { Log } from '../log/log.ts'
import { type Anchor, findAnchor, keepAnchors } from './queries.ts'

export interface AnchorOptions {
  sql: Pool
  clock: () => number
  log: Log
}

const LIFE_MS = 15 * 60 * 1000
/** More than are written in the worst second; what comes beyond is left out, and counted by whoever asks. */
const MAX_WAITING = 5000
/** Writers take turns with readers: a batch at once, then no more than one in this time. */
const WRITE_EVERY_MS = 10
/** The same page read again and again, by a dashboard say, writes its anchor no more often. */
const REPEAT_AFTER_MS = 1000

const nameOf = ({ key, page }: { key: string; page: number }) => `${page} ${key}`

/**
 * Where pages begin, shared by the replicas through Postgres. Anchors are written behind the answers that leave them, so
 * no request waits for one; until it is written this process knows it, and another would count.
 */
export class Anchors {
  readonly #options: AnchorOptions
  /** Not written yet, or being written: the last one of each reading. */
  readonly #unwritten = new Map<string, Anchor>()
  readonly #written = new LRUCache<string, string>({ max: 20_000, ttl: REPEAT_AFTER_MS })
  #writing = false

  constructor(options: AnchorOptions) {
    this.#options = options
  }

  /** What is not written yet: the other replicas' anchors further on are of an older reading. */
  unwritten(key: string, page: number): Anchor | undefined {
    const anchor = this.#unwritten.get(key)
    return anchor && anchor.page <= page ? anchor : undefined
  }

  /** The nearest written beginning at or before a page; undefined where it has to be counted from the first. */
  async find(key: string, page: number): Promise<{ page: number; after: string } | undefined> {
    const [anchor] = await findAnchor(this.#options.sql, { key, page, now: this.now() })
    return anchor
  }

  readonly now = () => new Date(this.#options.clock()).toISOString()

  keep(anchor: Anchor): void {
    if (this.#written.get(nameOf(anchor)) === anchor.after || this.#unwritten.size >= MAX_WAITING) return
    this.#unwritten.set(anchor.key, anchor)
    if (!this.#writing) void this.#write()
  }

  async #write(): Promise<void> {
    const { sql, clock, log } = this.#options
    this.#writing = true
    while (this.#unwritten.size > 0) {
      const batch = [...this.#unwritten.values()]
      try {
        await keepAnchors(sql, batch, new Date(clock() + LIFE_MS).toISOString())
        for (const anchor of batch) this.#written.set(nameOf(anchor), anchor.after)
      } catch (error) {
        log.warn({ err: error }, 'page anchors were not written; their pages will be counted')
      }
      for (const anchor of batch) {
        if (this.#unwritten.get(anchor.key) === anchor) this.#unwritten.delete(anchor.key)
      }
      await Bun.sleep(WRITE_EVERY_MS)
    }
    this.#writing = false
  }
}
