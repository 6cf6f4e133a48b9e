import { refuse } from '../http/refusal.ts'

/** Reads of one process that go on for long, exports and far pages. */
const MAX_AT_ONCE = 16
/** Of one organization, so that nobody's slow readers keep others waiting. */
const MAX_OF_ONE = 2
/** Those who may wait for a place, and how long. */
const MAX_WAITING = 100
const MAX_WAITING_OF_ONE = 20
const WAIT_MS = 5000

/** Hands out the places for long reads. */
export class LongReads {
  readonly #maxAtOnce: number
  readonly #waitMs: number
  readonly #reading = new Tally()
  readonly #waiting = new Tally()
  #freed = Promise.withResolvers<void>()

  constructor({ maxAtOnce = MAX_AT_ONCE, waitMs = WAIT_MS } = {}) {
    this.#maxAtOnce = maxAtOnce
    this.#waitMs = waitMs
  }

  /** A place at once, which whoever gets it gives back; refused where there is none. */
  take(orgId: string): () => void {
    return this.#place(orgId) ?? refuseTooMany()
  }

  /** Works in a place; who finds none waits for a while. */
  async during<Answer>(orgId: string, work: () => PromiseLike<Answer>): Promise<Answer> {
    const leave = this.#place(orgId) ?? (await this.#wait(orgId))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  async #wait(orgId: string): Promise<() => void> {
    if (this.#waiting.all >= MAX_WAITING || this.#waiting.of(orgId) >= MAX_WAITING_OF_ONE) refuseTooMany()
    const noLonger = this.#waiting.add(orgId)
    const timeOut = AbortSignal.timeout(this.#waitMs)
    const over = new Promise<void>((resolve) => timeOut.addEventListener('abort', () => resolve()))
    try {
      while (!timeOut.aborted) {
        await Promise.race([this.#freed.promise, over])
        const leave = this.#place(orgId)
        if (leave) return leave
      }
      return refuseTooMany()
    } finally {
      noLonger()
    }
  }

  #place(orgId: string): (() => void) | undefined {
    if (this.#reading.all >= this.#maxAtOnce || this.#reading.of(orgId) >= MAX_OF_ONE) return undefined
    const remove = this.#reading.add(orgId)
    return () => {
      remove()
      this.#freed.resolve()
      this.#freed = Promise.withResolvers()
    }
  }
}

/** How many there are, of all organizations and of each. */
class Tally {
  all = 0
  readonly #ofOne = new Map<string, number>()

  of(orgId: string): number {
    return this.#ofOne.get(orgId) ?? 0
  }

  /** Answers what takes it away again, once. */
  add(orgId: string): () => void {
    this.all++
    this.#ofOne.set(orgId, this.of(orgId) + 1)
    let isGone = false
    return () => {
      if (isGone) return
      isGone = true
      this.all--
      if (this.of(orgId) === 1) this.#ofOne.delete(orgId)
      else this.#ofOne.set(orgId, this.of(orgId) - 1)
    }
  }
}

function refuseTooMany(): never {
  const detail = 'Too many long reads at once, exports or pages far on; try again when one is done.'
  throw refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
}
