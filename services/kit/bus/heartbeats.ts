import type { Follower } from './follower.ts'

/** When each service was last heard, and whether what was heard can be relied on. */
export class Heartbeats {
  readonly #heardAt = new Map<string, number>()
  readonly #followers: ReadonlySet<Follower>

  constructor(followers: ReadonlySet<Follower>) {
    this.#followers = followers
  }

  heard(service: string): void {
    this.#heardAt.set(service, performance.now())
  }

  /**
   * On the clock of `performance.now()`. Never, as long as a follower of that family may have missed something:
   * a heartbeat says that events arrive, not that the state built from them is complete.
   */
  last(service: string): number {
    for (const follower of this.#followers) {
      if (follower.concerns(service) && !follower.isCurrent()) return Number.NEGATIVE_INFINITY
    }
    return this.#heardAt.get(service) ?? Number.NEGATIVE_INFINITY
  }
}
