import { trace } from '@opentelemetry/api'
import pino from 'pino'

export type Log = pino.Logger

export interface LogOptions {
  service: string
  version: string
  level: string
  /** Where lines go; standard output unless a test listens. */
  destination?: pino.DestinationStream
}

/** Names under which a secret could reach a log line, at the depths at which our objects have them. */
const SECRETS = ['password', 'newPassword', 'currentPassword', 'secret', 'token', 'access_token', 'refresh_token']
const REDACTED = [...SECRETS, 'authorization', 'cookie', 'sasUrl'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** JSON lines on standard output: one for each request and each thing worth knowing, with the trace it belongs to. */
export function createLog({ service, version, level, destination }: LogOptions): Log {
  return pino(
    {
      level,
      base: { service, version },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: describeError },
      mixin: () => {
        const traceId = trace.getActiveSpan()?.spanContext().traceId
        return traceId === undefined ? {} : { traceId }
      },
    },
    destination ?? pino.destination({ fd: 1, minLength: 4096, sync: true, periodicFlush: 500 }),
  )
}

/** An error without what it may carry along: statements, parameters and bodies stay out of the log. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, code } = error as Error & { code?: unknown }
  return { name, message, code, stack }
}
