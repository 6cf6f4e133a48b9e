/**
 * The answer to a question that is sent after the call, shared by all calls that wait for it. A question that was sent
 * before a call may miss what the caller knows, so the call waits for the next one.
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
