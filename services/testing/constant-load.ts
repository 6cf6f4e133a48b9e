import { until } from './until.ts'

/** A request of the load. It resolves with the reason if the answer is not the expected one. */
export type LoadedRequest = () => Promise<string | undefined>

/** Sends each request again when it is answered, at most at a rate, until `stop`. */
export class ConstantLoad {
  /** Answers so far, by request. */
  readonly answers: Record<string, number> = {}
  readonly failures: string[] = []
  longestMs = 0
  readonly #intervalMs: number
  readonly #loops: Promise<void>[]
  #stopping = false

  constructor(requests: Readonly<Record<string, LoadedRequest>>, { perSecond }: { perSecond: number }) {
    this.#intervalMs = 1000 / perSecond
    this.#loops = Object.entries(requests).map(([name, send]) => this.#repeat(name, send))
  }

  get total(): number {
    return Object.values(this.answers).reduce((sum, count) => sum + count, 0)
  }

  /** Waits until each request was answered this many times more. */
  async more(count: number): Promise<void> {
    const before = { ...this.answers }
    const isDone = (name: string) => (this.answers[name] ?? 0) >= (before[name] ?? 0) + count
    await until(() => Object.keys(this.answers).every(isDone), { withinMs: 60_000, what: 'answers of the load' })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#loops)
  }

  async #repeat(name: string, send: LoadedRequest): Promise<void> {
    this.answers[name] = 0
    while (!this.#stopping) {
      const began = performance.now()
      const failure = await send().catch((error) => String(error))
      const tookMs = performance.now() - began
      this.longestMs = Math.max(this.longestMs, tookMs)
      this.answers[name] = (this.answers[name] ?? 0) + 1
      if (failure !== undefined) this.failures.push(`${name}: ${failure}`)
      await Bun.sleep(Math.max(0, this.#intervalMs - tookMs))
    }
  }
}
