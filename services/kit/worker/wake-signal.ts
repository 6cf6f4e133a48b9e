/** Wakes one waiting loop. A notification that arrives while the loop works is kept for its next wait. */
export class WakeSignal {
  #isNotified = false
  #wake: (() => void) | undefined

  notify = (): void => {
    this.#isNotified = true
    this.#wake?.()
  }

  /** Waits for a notification, the time-out or the signal. Returns whether there was a notification. */
  wait(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        const wasNotified = this.#isNotified
        this.#wake = undefined
        this.#isNotified = false
        resolve(wasNotified)
      }
      const timer = setTimeout(done, this.#isNotified || signal.aborted ? 0 : ms)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }
}
