/**
 * Asks a question for many callers. Each gets the answer to a question that is sent after its call, because an earlier
 * one may be outdated. Calls that come while a question is open share the next one.
 */
export class LaterAnswer<T> {
  readonly #ask: () => Promise<T>
  #asked: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(ask: () => Promise<T>) {
    this.#ask = ask
  }

  get(): Promise<T> {
    this.#next ??= (async () => {
      await this.#asked?.catch(() => {})
      this.#asked = this.#next
      this.#next = undefined
      return this.#ask()
    })()
    return this.#next
  }
}
