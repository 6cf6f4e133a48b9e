import type { Envelope } from '../../../../proto/events/envelope.ts'
import { shared } from '../../answers/shared.ts'
import type { MessageLog } from '../../log/log.ts'
import { pause } from '../../worker/worker.ts'
import type { EventReceiver } from '../driver/driver.ts'
import type { SubscribeOptions } from '../driver/options.ts'
import { familyOf, matcherOf } from '../driver/subjects.ts'

const RELOAD_PAUSE_MS = 500
/** Events buffered during a reload. On overflow the state is reloaded. */
const MAX_WAITING = 10_000

/**
 * A subscription of one process to all events of some subjects. Whenever events may have been missed, the caller
 * reloads its state, and events that arrive meanwhile are delivered after the reload.
 */
export class Subscriber implements EventReceiver {
  readonly #options: SubscribeOptions
  readonly #log: MessageLog
  readonly #closed = new AbortController()
  readonly #matches: (type: string) => boolean
  readonly #families: ReadonlySet<string>
  #waiting: Envelope[] = []
  #isConnected = false
  #stale = true
  #reloadNeeded = false
  readonly #current = Promise.withResolvers<void>()

  constructor(options: SubscribeOptions, log: MessageLog) {
    this.#options = options
    this.#log = log
    this.#matches = matcherOf(options.subjects)
    this.#families = new Set(options.subjects.map(familyOf))
  }

  get subjects(): readonly string[] {
    return this.#options.subjects
  }

  /** Whether the caller's state is current: connected, and reloaded since the last gap. */
  isCurrent = (): boolean => this.#isConnected && !this.#stale

  /** Resolves when the state is current for the first time. */
  get firstCurrent(): Promise<void> {
    return this.#current.promise
  }

  concerns = (family: string): boolean => this.#families.has(family)
  matches = (type: string): boolean => this.#matches(type)

  /** Called by the driver for each event. */
  receive(event: Envelope): void {
    if (this.#closed.signal.aborted || !this.#matches(event.type)) return
    if (this.#stale) this.#waiting.push(event)
    else this.#deliver(event)
    if (this.#waiting.length > MAX_WAITING) this.reload()
  }

  /** Called by the driver when the connection is lost. */
  disconnected(): void {
    this.#isConnected = false
    this.#stale = true
  }

  /** Called by the driver when events arrive from now on. The state is reloaded. */
  connected(): Promise<void> {
    this.#isConnected = true
    return this.reload()
  }

  /** Reloads the state because events may have been missed. Resolves when it is loaded. */
  reload(): Promise<void> {
    this.#stale = true
    this.#waiting = []
    this.#reloadNeeded = true
    return this.#sync()
  }

  #sync = shared(async () => {
    while (this.#reloadNeeded && !this.#closed.signal.aborted) {
      this.#reloadNeeded = false
      try {
        await this.#options.onGap()
      } catch (error) {
        this.#log.warn({ subjects: this.subjects, err: error }, 'reload of the state failed; retrying')
        this.#reloadNeeded = true
        await pause(RELOAD_PAUSE_MS, this.#closed.signal)
      }
      if (this.#reloadNeeded) continue
      this.#stale = !this.#isConnected
      if (this.#isConnected) this.#current.resolve()
      for (const event of this.#waiting.splice(0)) this.#deliver(event)
    }
  })

  /** If the event cannot be applied, the state is reloaded. */
  #deliver(event: Envelope): void {
    try {
      this.#options.onEvent(event)
    } catch (error) {
      this.#log.error({ id: event.id, type: event.type, err: error }, 'subscriber failed; reloading its state')
      void this.reload()
    }
  }

  close(): void {
    this.#closed.abort()
  }
}
