import type { ServiceName } from '../../../proto/services.ts'
import type { MessageLog } from '../log/log.ts'
import { levelOf, pause } from '../worker/worker.ts'
import { openSession, type Session } from './session.ts'

interface ElectionOptions {
  service: ServiceName
  url: string
  log: MessageLog
  pollMs: number
}

/** It receives the session that holds the lock and a signal that aborts when the leadership ends. */
type LeaderWork = (session: Session, leadership: AbortSignal) => Promise<void>

/**
 * Leader election by Postgres advisory locks: each role of a service has one leader process. A process that dies or
 * loses its connection loses its leadership, and another process takes over.
 */
export class LeaderElection {
  readonly #options: ElectionOptions
  readonly #led = new Set<string>()
  #session: Promise<Session> | undefined

  constructor(options: ElectionOptions) {
    this.#options = options
  }

  /** Whether this process is the leader of the role. */
  leads(role: string): boolean {
    return this.#led.has(this.#lockOf(role))
  }

  #lockOf = (role: string) => `marketplace:${this.#options.service}:${role}`

  /** Runs the work while this process is the leader of the role, until the signal aborts. */
  async lead(role: string, signal: AbortSignal, work: LeaderWork): Promise<void> {
    const { log, pollMs } = this.#options
    const lock = this.#lockOf(role)
    while (!signal.aborted) {
      try {
        const session = await this.#connected()
        const [row] = await session.withDeadline(tryLock(session, lock))
        if (row?.taken) await this.#work(session, lock, signal, work)
      } catch (error) {
        if (signal.aborted) break
        log[levelOf(error)]({ lock, err: error }, 'leadership lost')
      }
      await pause(pollMs, signal)
    }
  }

  async #work(session: Session, lock: string, signal: AbortSignal, work: LeaderWork): Promise<void> {
    this.#options.log.info({ lock }, 'leadership acquired')
    this.#led.add(lock)
    try {
      await work(session, AbortSignal.any([signal, session.lost]))
    } finally {
      this.#led.delete(lock)
      // A lost session has released its locks; a live one has to release them explicitly.
      if (!session.lost.aborted) await session.withDeadline(unlock(session, lock)).catch(() => session.end())
    }
  }

  /** The session that holds all locks of the process. A new one is opened when it is lost. */
  #connected(): Promise<Session> {
    this.#session ??= this.#connect()
    return this.#session
  }

  async #connect(): Promise<Session> {
    const forget = () => {
      this.#session = undefined
    }
    try {
      const { service, url } = this.#options
      const session = await openSession(url, { applicationName: `${service}-leader` })
      session.lost.addEventListener('abort', forget)
      return session
    } catch (error) {
      forget()
      throw error
    }
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined)
    await session?.end()
  }
}

/** Postgres releases the lock when the session ends. */
const tryLock = ({ sql }: Session, name: string) => sql<{ taken: boolean }[]>`
  select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`

const unlock = ({ sql }: Session, name: string) => sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
