import { refuse } from '../http/refusal.ts'

export interface TurnsOptions {
  /** Who may be at it at once. */
  places: number
  /** Of one organization. */
  placesOfOne: number
  /** How long somebody waits for a place. */
  waitMs?: number
  /** More than wait there whose organization is within its request limit. */
  maxWaitingOfOne?: number
}

const WAIT_MS = 5000
const MAX_WAITING_OF_ONE = 200

/**
 * Places for what would take every connection of a pool, if one organization asked often enough. An organization has its
 * share of them, and those that wait take turns: whoever asks a hundred times waits behind himself.
 */
export class Turns {
  readonly #places: number
  readonly #placesOfOne: number
  readonly #waitMs: number
  readonly #maxWaitingOfOne: number
  readonly #workingOf = new Map<string, number>()
  #working = 0
  /** Those who wait, in the order in which they came; the organizations in that in which they have their next turn. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor({ places, placesOfOne, waitMs = WAIT_MS, maxWaitingOfOne = MAX_WAITING_OF_ONE }: TurnsOptions) {
    this.#places = places
    this.#placesOfOne = placesOfOne
    this.#waitMs = waitMs
    this.#maxWaitingOfOne = maxWaitingOfOne
  }

  /** Works in a place. Who finds none waits for a while, unless the client leaves before. */
  async during<Answer>(orgId: string, signal: AbortSignal, work: () => PromiseLike<Answer>): Promise<Answer> {
    // Whoever waits cannot begin: those of an organization that could have begun already.
    if (this.#mayBegin(orgId)) this.#begin(orgId)
    else await this.#wait(orgId, signal)
    try {
      return await work()
    } finally {
      this.#end(orgId)
    }
  }

  #mayBegin(orgId: string): boolean {
    return this.#working < this.#places && (this.#workingOf.get(orgId) ?? 0) < this.#placesOfOne
  }

  #begin(orgId: string): void {
    this.#working++
    this.#workingOf.set(orgId, (this.#workingOf.get(orgId) ?? 0) + 1)
  }

  #end(orgId: string): void {
    this.#working--
    const left = (this.#workingOf.get(orgId) ?? 1) - 1
    if (left === 0) this.#workingOf.delete(orgId)
    else this.#workingOf.set(orgId, left)
    this.#callNext()
  }

  /** One place was given back: it is the next organization's that has not got its share. */
  #callNext(): void {
    for (const [orgId, line] of this.#waiting) {
      const [enter] = line
      if (!enter || !this.#mayBegin(orgId)) continue
      this.#begin(orgId)
      enter()
      // The others of this organization are behind all other organizations now.
      if (this.#waiting.delete(orgId)) this.#waiting.set(orgId, line)
      return
    }
  }

  #wait(orgId: string, signal: AbortSignal): Promise<void> {
    const line = this.#waiting.get(orgId) ?? new Set()
    if (line.size >= this.#maxWaitingOfOne) throw tooMany()
    signal.throwIfAborted()
    this.#waiting.set(orgId, line)
    return new Promise((resolve, reject) => {
      const leaveLine = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        line.delete(enter)
        if (line.size === 0) this.#waiting.delete(orgId)
      }
      const enter = () => {
        leaveLine()
        resolve()
      }
      const giveUp = () => {
        leaveLine()
        reject(signal.aborted ? signal.reason : tooMany())
      }
      const timer = setTimeout(giveUp, this.#waitMs)
      signal.addEventListener('abort', giveUp)
      line.add(enter)
    })
  }
}

const tooMany = () =>
  refuse('rate_limited', {
    detail: 'Your organization searches too often at once; try again when one search is done.',
    headers: { 'retry-after': '5' },
  })
