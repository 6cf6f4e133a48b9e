import { type Context, context, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { childSpan } from '../traces/traces.ts'
import type { Sql } from './client.ts'

/** The parts of a query of postgres.js that a span needs. */
interface PendingQuery {
  /** The text, once it was sent. */
  statement: { string: string } | null
  resolve(rows: unknown): void
  reject(error: unknown): void
}

const isQuery = (value: unknown): value is PendingQuery =>
  value instanceof Promise && 'statement' in value && 'resolve' in value && 'reject' in value

/** The connections of a service whose statements have spans. Statements outside of a request or an event have none. */
export function withSpans<S extends Sql>(sql: S): S {
  return new Proxy(sql, {
    // The types of postgres.js describe a tagged template and a helper, of which `apply` sees only a function.
    apply: (target, self, args) => withSpan(Reflect.apply(target as never, self, args)),
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      if (key === 'unsafe') return (...args: unknown[]) => withSpan(Reflect.apply(value, target, args))
      if (key !== 'begin' && key !== 'savepoint') return value
      return (...args: unknown[]) =>
        Reflect.apply(
          value,
          target,
          args.map((arg) => (typeof arg === 'function' ? (tx: Sql) => arg(withSpans(tx)) : arg)),
        )
    },
  })
}

/** A query is sent when it is awaited, and a fragment never is, so the span is made when the answer arrives. */
function withSpan(value: unknown): unknown {
  if (!isQuery(value)) return value
  const [within, startedMs] = [context.active(), Date.now()]
  const { resolve, reject } = value
  value.resolve = (rows) => {
    endSpan(value, within, startedMs, true)
    resolve(rows)
  }
  value.reject = (error) => {
    endSpan(value, within, startedMs, false)
    reject(error)
  }
  return value
}

function endSpan({ statement }: PendingQuery, within: Context, startedMs: number, succeeded: boolean): void {
  const text = statement?.string.trim() ?? ''
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'QUERY'
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }
  const span = childSpan(operation, SpanKind.CLIENT, attributes, startedMs, within)
  if (!succeeded) span?.setStatus({ code: SpanStatusCode.ERROR })
  span?.end()
}
