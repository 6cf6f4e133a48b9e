import type { ServiceName } from '../../../proto/services.ts'
import { isDependencyFailure } from '../db/failures.ts'
import { pause } from '../worker/worker.ts'
import type { BusLog } from './log.ts'
import { releaseSeat, takeSeat } from './queries.ts'
import { openSession, type Session } from './session.ts'

/**
 * Elects: each seat of a service is held by one process at a time, by a lock of its session. A process that dies or
 * loses its connection has lost its seats, and another takes them.
 */
export class Seats {
  readonly #options: { service: ServiceName; url: string; log: BusLog; pollMs: number }
  #session: Promise<Session> | undefined

  constructor(options: { service: ServiceName; url: string; log: BusLog; pollMs: number }) {
    this.#options = options
  }

  /**
   * Waits for the seat, works while it is held, and waits again when it is lost, until the signal. The work gets the
   * session that holds the seat and a signal that says when it is over.
   */
  async hold(name: string, signal: AbortSignal, work: (session: Session, ends: AbortSignal) => Promise<void>) {
    const { service, log, pollMs } = this.#options
    const seat = `marketplace:${service}:${name}`
    while (!signal.aborted) {
      try {
        const session = await this.#connected()
        const [row] = await session.ask(takeSeat(session.sql, seat))
        if (row?.taken) await this.#sit(session, seat, signal, work)
      } catch (error) {
        if (signal.aborted) break
        log[isDependencyFailure(error) ? 'warn' : 'error']({ seat, err: error }, 'seat lost; trying again')
      }
      await pause(pollMs, signal)
    }
  }

  async #sit(
    session: Session,
    seat: string,
    signal: AbortSignal,
    work: (session: Session, ends: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#options.log.info({ seat }, 'seat taken')
    try {
      await work(session, AbortSignal.any([signal, session.lost]))
    } finally {
      // A session that died took its locks along; one that lives would keep the seat from everybody.
      if (!session.lost.aborted) await session.ask(releaseSeat(session.sql, seat)).catch(() => session.end())
    }
  }

  /** One session holds all seats of the process; a new one is opened when it is lost. */
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
      const session = await openSession(url, { applicationName: `${service}-seats` })
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
