import { LRUCache } from 'lru-cache'
import { Counter, type Registry } from 'prom-client'
import type { Refusal } from '../errors/refusal.ts'
import type { Log } from '../log/log.ts'

/** Time after a line in which equal causes are only counted. */
const QUIET_MS = 10_000
/** Upper bound of the remembered causes, because a file store may return any code. */
const MAX_CAUSES = 100
const CODE = /^[A-Za-z0-9_]{1,40}$/

interface Line {
  atMs: number
  /** Answers since this line, which the next line reports. */
  unreported: number
}

/** Records why requests are 503: each in a counter, and the first of each cause in ten seconds in the log. */
export class Outages {
  readonly #counter: Counter
  readonly #log: Log
  readonly #lines = new LRUCache<string, Line>({ max: MAX_CAUSES })

  constructor(registry: Registry, log: Log) {
    this.#log = log
    this.#counter = new Counter({
      name: 'marketplace_unavailable_total',
      help: 'Requests answered with 503, by failed dependency and error code.',
      labelNames: ['dependency', 'code'],
      registers: [registry],
    })
  }

  record(refusal: Refusal, requestId: string): void {
    if (refusal.code !== 'unavailable') return
    const { dependency = 'unknown', cause } = refusal
    const code = codeOf(cause)
    this.#counter.labels(dependency, code).inc()
    const key = `${dependency} ${code}`
    const nowMs = performance.now()
    const last = this.#lines.get(key)
    if (last && nowMs - last.atMs < QUIET_MS) {
      last.unreported++
      return
    }
    this.#lines.set(key, { atMs: nowMs, unreported: 0 })
    const more = last && last.unreported > 0 ? { more: last.unreported } : {}
    // The errors of other dependencies may contain text of a client, so the refusal is logged instead.
    const err = dependency === 'postgres' ? cause : refusal
    this.#log.warn({ dependency, code, err, requestId, ...more }, 'requests are 503')
  }
}

/** The code of an error, or of the error behind it. */
function codeOf(cause: unknown): string {
  const { code, status, cause: inner } = (cause ?? {}) as { code?: unknown; status?: unknown; cause?: unknown }
  if (typeof code === 'string' && CODE.test(code)) return code
  if (typeof status === 'number') return String(status)
  return inner === undefined ? 'none' : codeOf(inner)
}
