import { refuse } from '../../kit/http/refusal.ts'

/** Reads of one process that go on for long, exports and far pages: each keeps a connection busy most of the time. */
const MAX_AT_ONCE = 16
/** Of one organization, so that nobody's slow readers keep others waiting. */
const MAX_OF_ONE = 2

/** Hands out the places for long reads; whoever gets one gives it back once. */
export class LongReads {
  #running = 0
  readonly #ofOne = new Map<string, number>()

  take(orgId: string): () => void {
    const own = this.#ofOne.get(orgId) ?? 0
    if (this.#running >= MAX_AT_ONCE || own >= MAX_OF_ONE) {
      const detail = 'Too many long reads of the audit log at once; try again when one is done.'
      throw refuse('rate_limited', { detail, headers: { 'retry-after': '10' } })
    }
    this.#running++
    this.#ofOne.set(orgId, own + 1)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#running--
      const left = (this.#ofOne.get(orgId) ?? 1) - 1
      if (left === 0) this.#ofOne.delete(orgId)
      else this.#ofOne.set(orgId, left)
    }
  }
}
