import type { Envelope } from '../../../proto/events/envelope.ts'
import { pause } from '../worker/worker.ts'
import type { BusLog } from './log.ts'
import { familyOf, matcherOf } from './subjects.ts'
import type { Follow } from './verbs.ts'

const RELOAD_PAUSE_MS = 500
/** Events that may wait for a reload; more of them than this, and what was loaded is loaded again. */
const MAX_WAITING = 10_000

/**
 * One who follows the bus, between the driver that hears and the caller who keeps a state. Whenever something may have
 * been missed the caller loads its state again, and what is heard meanwhile is given to it afterwards: an event is
 * never overtaken by an older load.
 */
export class Follower {
  readonly #follow: Follow
  readonly #log: BusLog
  readonly #closed = new AbortController()
  readonly #matches: (type: string) => boolean
  readonly #families: ReadonlySet<string>
  #waiting: Envelope[] = []
  #hears = false
  #stale = true
  #reload = false
  #syncing: Promise<void> | undefined
  readonly #current = Promise.withResolvers<void>()

  constructor(follow: Follow, log: BusLog) {
    this.#follow = follow
    this.#log = log
    this.#matches = matcherOf(follow.subjects)
    this.#families = new Set(follow.subjects.map(familyOf))
  }

  get subjects(): readonly string[] {
    return this.#follow.subjects
  }

  /** Whether it may be relied on for this family: it hears, and what it missed has been loaded. */
  isCurrent = (): boolean => this.#hears && !this.#stale

  /** Resolves when it may be relied on for the first time. */
  get firstCurrent(): Promise<void> {
    return this.#current.promise
  }

  concerns = (family: string): boolean => this.#families.has(family)
  matches = (type: string): boolean => this.#matches(type)

  /** The driver heard an event. */
  hear(event: Envelope): void {
    if (this.#closed.signal.aborted || !this.#matches(event.type)) return
    if (this.#stale) this.#waiting.push(event)
    else this.#tell(event)
    if (this.#waiting.length > MAX_WAITING) this.missed()
  }

  /** The driver cannot hear any more. */
  deaf(): void {
    this.#hears = false
    this.#stale = true
  }

  /** The driver hears again, or for the first time; what came before has to be loaded. */
  hearing(): Promise<void> {
    this.#hears = true
    return this.missed()
  }

  /** Something may have been missed. Resolves when the caller has loaded its state. */
  missed(): Promise<void> {
    this.#stale = true
    this.#waiting = []
    this.#reload = true
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  async #sync(): Promise<void> {
    while (this.#reload && !this.#closed.signal.aborted) {
      this.#reload = false
      try {
        await this.#follow.onGap()
      } catch (error) {
        this.#log.warn({ subjects: this.subjects, err: error }, 'state could not be loaded; trying again')
        this.#reload = true
        await pause(RELOAD_PAUSE_MS, this.#closed.signal)
      }
      if (this.#reload) continue
      this.#stale = !this.#hears
      if (this.#hears) this.#current.resolve()
      for (const event of this.#waiting.splice(0)) this.#tell(event)
    }
  }

  /** A state that an event could not be applied to is not to be relied on. */
  #tell(event: Envelope): void {
    try {
      this.#follow.onEvent(event)
    } catch (error) {
      this.#log.error({ id: event.id, type: event.type, err: error }, 'follower failed; its state is loaded again')
      void this.missed()
    }
  }

  close(): void {
    this.#closed.abort()
  }
}
