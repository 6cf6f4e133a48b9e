import { type Refusal, refuse } from '../errors/refusal.ts'

export interface TurnsOptions {
  /** What whoever finds no place is told that there is too much of. */
  what: string
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
 * Places for what would take every connection if one organization asked often enough. An organization has its share of
 * them, and those that wait take turns: whoever asks a hundred times waits behind himself.
 */
export class Turns {
  readonly #options: Required<TurnsOptions>
  readonly #workingOf = new Map<string, number>()
  #working = 0
  /** Those who wait, in the order in which they came; the organizations in that in which they have their next turn. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(options: TurnsOptions) {
    this.#options = { waitMs: WAIT_MS, maxWaitingOfOne: MAX_WAITING_OF_ONE, ...options }
  }

  /** A place at once, which whoever gets it gives back; refused where there is none. */
  take(orgId: string): () => void {
    if (!this.#mayBegin(orgId)) throw this.#tooMany()
    this.#begin(orgId)
    let isGivenBack = false
    return () => {
      if (!isGivenBack) this.#end(orgId)
      isGivenBack = true
    }
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
    const { places, placesOfOne } = this.#options
    return this.#working < places && (this.#workingOf.get(orgId) ?? 0) < placesOfOne
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
    if (line.size >= this.#options.maxWaitingOfOne) throw this.#tooMany()
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
        reject(signal.aborted ? signal.reason : this.#tooMany())
      }
      const timer = setTimeout(giveUp, this.#options.waitMs)
      signal.addEventListener('abort', giveUp)
      line.add(enter)
    })
  }

  #tooMany(): Refusal {
    const detail = `Too many ${this.#options.what} at once; try again when one is done.`
    return refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
  }
}
