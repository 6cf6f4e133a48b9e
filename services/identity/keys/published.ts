import { keySetOf } from '../../kit/auth/queries.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'

type Rows = Parameters<typeof keySetOf>[0]
type KeySet = ReturnType<typeof keySetOf>

/** The public keys. While Postgres does not answer, those of the last read, because no key changes without it. */
export class PublishedKeys {
  #last: KeySet | undefined
  /** Grows when the keys are forgotten, so that a read which began before is not kept. */
  #generation = 0

  async read(list: () => PromiseLike<Rows>): Promise<KeySet> {
    try {
      return await this.load(list)
    } catch (error) {
      if (this.#last === undefined || !isDependencyFailure(error)) throw error
      return this.#last
    }
  }

  /** Reads the keys anew, at the start and after an interruption in which the event of a revocation may be missed. */
  async load(list: () => PromiseLike<Rows>): Promise<KeySet> {
    const readIn = this.#generation
    const keys = keySetOf(await list())
    if (readIn === this.#generation) this.#last = keys
    return keys
  }

  /** A key was revoked, so the last read is not repeated. */
  forget(): void {
    this.#last = undefined
    this.#generation++
  }
}
