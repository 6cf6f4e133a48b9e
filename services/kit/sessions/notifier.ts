import { type AnnouncementListener, type Announcer, readAnnouncement } from '../db/announcements.ts'
import type { MessageLog } from '../log/log.ts'
import { aborted, pause } from '../worker/worker.ts'
import { openSession, type Session } from './session.ts'

/** A listener for the notifications of some channels. */
export interface Listener {
  channels: readonly string[]
  onNotification(channel: string, payload: string): void
  /** The connection was lost. */
  onDisconnected(): void
  /** LISTEN is active. Earlier notifications may have been missed. */
  onListening(): void
}

interface NotifierOptions {
  url: string
  /** Announces the commits of this process. */
  announcer: Announcer
  applicationName: string
  log: MessageLog
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

/** The LISTEN connection of a service process, shared by all its listeners. It reconnects with growing pauses. */
export class Notifier {
  readonly #options: NotifierOptions
  readonly #listeners = new Set<Listener>()
  readonly #closed = new AbortController()
  #session: Session | undefined
  #running: Promise<void> | undefined

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#running ??= this.#run()
    if (this.#session) void this.#listenFor(this.#session, listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls a function with what each commit announces on some channels, in this process or another, and without anything
   * when some may have been missed. Returns a function that ends it.
   */
  onCommit(channels: readonly string[], listener: AnnouncementListener): () => void {
    const { announcer } = this.#options
    // An error must not fail the command, which is committed.
    const call: AnnouncementListener = (about) => this.#guarded(channels, () => listener(about))
    const stops = channels.map((channel) => announcer.listen(channel, call))
    const stopListening = this.listen({
      channels,
      onNotification(_channel, payload) {
        const announcement = readAnnouncement(payload)
        if (announcement && announcement.from !== announcer.id) call(announcement.about)
      },
      onDisconnected() {},
      onListening: () => call(),
    })
    return () => {
      for (const stop of [...stops, stopListening]) stop()
    }
  }

  async #run(): Promise<void> {
    const { url, applicationName, log } = this.#options
    const { signal } = this.#closed
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const session = await openSession(url, { applicationName, onNotify: this.#notify })
        pauseMs = FIRST_PAUSE_MS
        await this.#serve(session, AbortSignal.any([signal, session.lost]))
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'LISTEN connection failed')
      }
      await pause(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  /** Serves one connection until it is lost. */
  async #serve(session: Session, signal: AbortSignal): Promise<void> {
    this.#session = session
    try {
      await Promise.all([...this.#listeners].map((listener) => this.#listenFor(session, listener)))
      await aborted(signal)
    } finally {
      this.#session = undefined
      for (const listener of this.#listeners) listener.onDisconnected()
      await session.end()
    }
  }

  async #listenFor(session: Session, listener: Listener): Promise<void> {
    try {
      for (const channel of listener.channels) await session.withDeadline(session.sql`listen ${session.sql(channel)}`)
      if (!session.lost.aborted) listener.onListening()
    } catch {
      // The next session serves every listener again.
      await session.end()
    }
  }

  #notify = (channel: string, payload: string): void => {
    for (const listener of this.#listeners)
      if (listener.channels.includes(channel)) this.#guarded([channel], () => listener.onNotification(channel, payload))
  }

  /** Calls a listener. Its error concerns neither other listeners nor the connection. */
  #guarded(channels: readonly string[], call: () => void): void {
    try {
      call()
    } catch (err) {
      this.#options.log.error({ err, channels }, 'a notification could not be handled')
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#session?.end()
    await this.#running
  }
}
