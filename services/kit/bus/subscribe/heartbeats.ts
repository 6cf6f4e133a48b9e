import { SERVICES } from '../../../../proto/services.ts'
import type { Subscriber } from './subscriber.ts'

const NAMES: ReadonlySet<string> = new Set(SERVICES)

/** Times of the last heartbeat of each service. */
export class Heartbeats {
  readonly #receivedAt = new Map<string, number>()
  readonly #subscribers: ReadonlySet<Subscriber>

  constructor(subscribers: ReadonlySet<Subscriber>) {
    this.#subscribers = subscribers
  }

  /** Ignores other names, because each role of the database can notify of any. */
  record(service: string): void {
    if (NAMES.has(service)) this.#receivedAt.set(service, performance.now())
  }

  /**
   * Time of the last heartbeat on the clock of `performance.now()`. Minus infinity while a subscriber to the service's
   * events may have missed some, because its state is then incomplete although heartbeats arrive.
   */
  last(service: string): number {
    for (const subscriber of this.#subscribers) {
      if (subscriber.concerns(service) && !subscriber.isCurrent()) return Number.NEGATIVE_INFINITY
    }
    return this.#receivedAt.get(service) ?? Number.NEGATIVE_INFINITY
  }
}
