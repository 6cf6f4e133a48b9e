import pino from 'pino'
import { activeTraceId } from '../traces/traces.ts'
import { standardOutput } from './standard-output.ts'

export type Log = pino.Logger

export interface LogOptions {
  service: string
  version: string
  level: string
  /** Where lines are written. Default: standard output. */
  destination?: pino.DestinationStream
}

/** Names of secret fields, at the depths at which logged objects can have them. */
const SECRETS = ['password', 'newPassword', 'currentPassword', 'secret', 'token', 'access_token', 'refresh_token']
const REDACTED = [...SECRETS, 'authorization', 'cookie', 'sasUrl'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** A logger that writes JSON lines, with the id of the current trace. */
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

/** An error without statements, parameters and bodies, which must not be logged. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: withoutPaths(String(error)) }
  const { name, message, stack, code } = error as Error & { code?: unknown }
  const described = { name, message: withoutPaths(message), code, stack: stack && withoutPaths(stack) }
  return error.cause instanceof Error ? { ...described, cause: kindOf(error.cause) } : described
}

/** The kind of a cause without its message, which may contain text of a client. */
function kindOf(cause: Error) {
  const { name, status, code } = cause as Error & { status?: unknown; code?: unknown }
  return { name, status, code }
}

/** Captures scheme and host of a URL. */
const URL_TEXT = /\b(https?:\/\/)(?:[^\s"'/?#]*@)?([^\s"'/?#@]*)[^\s"']*/gi

/** Shortens URLs to their hosts, because errors of `fetch` contain the whole URL with its signature. */
const withoutPaths = (text: string) => text.replace(URL_TEXT, '$1$2/…')

/** The part of a logger that the bus and the sessions use. */
export interface MessageLog {
  info(about: object, message: string): void
  warn(about: object, message: string): void
  error(about: object, message: string): void
}
