/** Wakes one waiting loop. A call that comes while the loop works is kept, so nothing is slept through. */
export class WakeSignal {
  #called = false
  #waiting: (() => void) | undefined

  call = (): void => {
    this.#called = true
    this.#waiting?.()
  }

  /** Returns at a call, after the time, or at the signal: whichever comes first. Answers whether there was a call. */
  wait(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        const called = this.#called
        this.#waiting = undefined
        this.#called = false
        resolve(called)
      }
      const timer = setTimeout(done, this.#called || signal.aborted ? 0 : ms)
      signal.addEventListener('abort', done)
      this.#waiting = done
    })
  }
}
