import pino from 'pino'
import { activeTraceId } from '../traces/traces.ts'
import { standardOutput } from './standard-output.ts'

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
export function createLog(options: LogOptions): Log {
  return pino(settingsOf(options), options.destination ?? standardOutput)
}

const settingsOf = ({ service, version, level }: LogOptions) => ({
  level,
  base: { service, version },
  formatters: { level: (label: string) => ({ level: label }) },
  redact: { paths: REDACTED, censor: '[redacted]' },
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: describeError },
  mixin: () => {
    const traceId = activeTraceId()
    return traceId === undefined ? {} : { traceId }
  },
})

/** An error without what it may carry along: statements, parameters and bodies stay out of the log. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: withoutPaths(String(error)) }
  const { name, message, stack, code } = error as Error & { code?: unknown }
  const described = { name, message: withoutPaths(message), code, stack: stack && withoutPaths(stack) }
  return error.cause instanceof Error ? { ...described, cause: kindOf(error.cause) } : described
}

/** Of a cause what kind it was: its message may be anybody's words. */
function kindOf(cause: Error) {
  const { name, status, code } = cause as Error & { status?: unknown; code?: unknown }
  return { name, status, code }
}

/** What follows the host, and what stands before it. */
const ADDRESS = /\b(https?:\/\/)(?:[^\s"'/?#]*@)?([^\s"'/?#@]*)[^\s"']*/gi

/** Addresses are shown as their hosts alone: `fetch` puts the whole of what it was given into its errors, signatures included. */
const withoutPaths = (text: string) => text.replace(ADDRESS, '$1$2/…')
