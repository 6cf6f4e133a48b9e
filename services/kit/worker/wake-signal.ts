/** Wakes one waiting loop. A notification that arrives while the loop works is kept for its next wait. */
export class WakeSignal {
  #called = false
  #waiting: (() => void) | undefined

  call = (): void => {
    this.#called = true
    this.#waiting?.()
  }

  /** Waits for a notification, the time-out or the signal. Returns whether there was a notification. */
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
