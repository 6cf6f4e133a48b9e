import { keySetOf } from '../../kit/auth/queries.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'

type Rows = Parameters<typeof keySetOf>[0]
type KeySet = ReturnType<typeof keySetOf>

/** The public keys. While Postgres does not answer, those of the last read, because no key changes without it. */
export class PublishedKeys {
  #last: KeySet | undefined

  async read(list: () => PromiseLike<Rows>): Promise<KeySet> {
    try {
      this.#last = keySetOf(await list())
    } catch (error) {
      if (this.#last === undefined || !isDependencyFailure(error)) throw error
    }
    return this.#last
  }

  /** A key was revoked, so the last read is not repeated. */
  forget(): void {
    this.#last = undefined
  }
}
