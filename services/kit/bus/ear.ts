import { pause } from '../worker/worker.ts'
import type { BusLog } from './log.ts'
import { listenTo } from './queries.ts'
import { openSession, type Session } from './session.ts'

/** One who is told what is notified on some channels, and when that stops and begins again. */
export interface Listener {
  channels: readonly string[]
  heard(channel: string, payload: string): void
  /** The connection is gone: nothing is heard until further notice. */
  deaf(): void
  /** Heard from now on. Whatever was notified before was missed. */
  hearing(): void
}

export interface EarOptions {
  url: string
  applicationName: string
  log: BusLog
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })

/** The one LISTEN connection of a process and service, shared by all who wait for something of Postgres. */
export class Ear {
  readonly #options: EarOptions
  readonly #listeners = new Set<Listener>()
  readonly #closed = new AbortController()
  #session: Session | undefined
  #running: Promise<void> | undefined

  constructor(options: EarOptions) {
    this.#options = options
  }

  /** Adds a listener; it is told once it hears. The answer takes it away again. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#running ??= this.#run()
    if (this.#session) void this.#tune(this.#session, listener)
    return () => this.#listeners.delete(listener)
  }

  async #run(): Promise<void> {
    const { url, applicationName, log } = this.#options
    const { signal } = this.#closed
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const session = await openSession(url, { applicationName, onNotify: this.#notify })
        pauseMs = FIRST_PAUSE_MS
        await this.#attend(session, AbortSignal.any([signal, session.lost]))
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'notifications of Postgres are not heard')
      }
      await pause(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  /** Until the connection is lost. */
  async #attend(session: Session, ends: AbortSignal): Promise<void> {
    this.#session = session
    try {
      await Promise.all([...this.#listeners].map((listener) => this.#tune(session, listener)))
      await aborted(ends)
    } finally {
      this.#session = undefined
      for (const listener of this.#listeners) listener.deaf()
      await session.end()
    }
  }

  async #tune(session: Session, listener: Listener): Promise<void> {
    try {
      for (const channel of listener.channels) await session.ask(listenTo(session.sql, channel))
      if (!session.lost.aborted) listener.hearing()
    } catch {
      // A session that cannot listen is of no use; the next one tells every listener.
      await session.end()
    }
  }

  #notify = (channel: string, payload: string): void => {
    for (const listener of this.#listeners) if (listener.channels.includes(channel)) listener.heard(channel, payload)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#session?.end()
    await this.#running
  }
}
