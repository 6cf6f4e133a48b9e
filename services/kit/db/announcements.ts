import { setTimeout as pause } from 'node:timers/promises'
import { commitsAsynchronously } from './conditions.ts'
import type { Pool, Sql, Tx } from './sql.ts'

/**
 * A commit with a NOTIFY takes a lock of the whole server until it is on disk, so commands contain none. A transaction
 * notes what it announces, and after the commit its process calls its own listeners at once and notifies other
 * processes in a statement of its own. What a crash in between loses is found by the poll of the listener.
 */

/** Called after a commit with what it concerns, such as organizations. Undefined: anything. */
export type AnnouncementListener = (about?: readonly string[]) => void

/** What one or several transactions announce, by channel. */
type Announcements = Map<string, Set<string>>

const OF_TRANSACTION = Symbol('announcements of a transaction')
const OF_POOL = Symbol('announcer of a pool')

interface AnnouncingTx {
  [OF_TRANSACTION]?: Announcements
}

interface AnnouncingPool {
  [OF_POOL]?: Announcer
}

/** Shortest time between two notifications of other processes. */
const NOTIFY_INTERVAL_MS = 20
/** Postgres limits a notification to less than 8000 bytes. */
const NOTIFICATION_MAX_BYTES = 7800

/** Announces on a channel what the transaction changes, once it is committed. */
export function announce(tx: Tx, channel: string, about: readonly string[]): void {
  const announcements = (tx as AnnouncingTx)[OF_TRANSACTION]
  if (!announcements) throw new Error('a transaction of a pool that does not announce')
  add(announcements, channel, about)
}

function add(announcements: Announcements, channel: string, about: Iterable<string>): void {
  const known = announcements.get(channel) ?? new Set()
  for (const one of about) known.add(one)
  announcements.set(channel, known)
}

/** The announcer of a pool that `connect` has created. */
export function announcerOf(pool: Pool): Announcer {
  const announcer = (pool as AnnouncingPool)[OF_POOL]
  if (!announcer) throw new Error('a pool that does not announce')
  return announcer
}

/** Makes the transactions of a pool announce. */
export function withAnnouncements(pool: Pool): Pool {
  const announcer = new Announcer(pool)
  const { begin } = pool as unknown as { begin: (...args: unknown[]) => Promise<unknown> }
  const announcing = async (...args: unknown[]) => {
    const work = args.pop() as (tx: Tx) => unknown
    const announcements: Announcements = new Map()
    const answer = await begin(...args, (tx: Tx) => work(noting(tx, announcements)))
    announcer.committed(announcements)
    return answer
  }
  return Object.assign(pool, { begin: announcing, [OF_POOL]: announcer })
}

/** Savepoints note in their transaction. What one notes that is rolled back costs its listeners a look. */
function noting(tx: Tx, announcements: Announcements): Tx {
  const { savepoint } = tx as unknown as { savepoint?: (...args: unknown[]) => Promise<unknown> }
  const inner = (...args: unknown[]) => {
    const work = args.pop() as (tx: Tx) => unknown
    return savepoint?.(...args, (part: Tx) => work(noting(part, announcements)))
  }
  return Object.assign(tx, { savepoint: inner, [OF_TRANSACTION]: announcements })
}

/** Announces the commits of one pool. */
export class Announcer {
  /** Identifies its notifications, because its own listeners were called already. */
  readonly id = crypto.randomUUID()
  readonly #sql: Sql
  readonly #listeners = new Map<string, Set<AnnouncementListener>>()
  readonly #local = new Map<string, () => boolean>()
  #waiting: Announcements = new Map()
  #notifying: Promise<void> | undefined

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Calls back for the commits of this pool. Returns a function that ends it. */
  listen(channel: string, listener: AnnouncementListener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** Does not notify other processes of a channel while a condition holds, because they would do nothing. */
  keepLocal(channel: string, condition: () => boolean): void {
    this.#local.set(channel, condition)
  }

  committed(announcements: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [channel, about] of announcements) {
      for (const listener of this.#listeners.get(channel) ?? []) listener([...about])
      if (!this.#local.get(channel)?.()) add(this.#waiting, channel, about)
    }
    if (this.#waiting.size > 0) this.#notifying ??= this.#notify()
  }

  /** Notifies at once, and again after the interval while there is more. */
  async #notify(): Promise<void> {
    while (this.#waiting.size > 0) {
      const announcements = this.#waiting
      this.#waiting = new Map()
      // A notification that is lost with its connection is replaced by the poll of the listener.
      await Promise.all([
        notify(this.#sql, this.id, announcements).catch(() => {}),
        pause(NOTIFY_INTERVAL_MS, undefined, { ref: false }),
      ])
    }
    this.#notifying = undefined
  }
}

function notify(sql: Sql, from: string, announcements: Announcements) {
  const channels = [...announcements.keys()]
  const payloads = [...announcements.values()].map((about) => notificationOf({ from, about: [...about] }, { from }))
  return sql`
    select pg_notify(n.channel, n.payload) from unnest(${channels}::text[], ${payloads}::text[]) as n (channel, payload)
    where ${commitsAsynchronously(sql)}`
}

/** The text of a notification. If it is too long, it says less. */
export function notificationOf(whole: object, less: object): string {
  const text = JSON.stringify(whole)
  return Buffer.byteLength(text) <= NOTIFICATION_MAX_BYTES ? text : JSON.stringify(less)
}

/** Ids of organizations and types of events. */
const ABOUT = /^[\w.-]{1,128}$/

interface Announcement {
  from: string
  about?: readonly string[]
}

/** Reads a notification of another process. Undefined for other texts, because each role of a database can notify. */
export function readAnnouncement(payload: string): Announcement | undefined {
  const { from, about } = objectOf(payload)
  if (typeof from !== 'string') return undefined
  if (about === undefined) return { from }
  return Array.isArray(about) && about.every(isAbout) ? { from, about } : undefined
}

const isAbout = (one: unknown): one is string => typeof one === 'string' && ABOUT.test(one)

function objectOf(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json))
  } catch {
    return {}
  }
}
