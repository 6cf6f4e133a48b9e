import { activeTraceId } from '../traces/traces.ts'
import type { LogOptions } from './log.ts'
import { type Lines, standardOutput } from './standard-output.ts'

/** What is told of each request. None of it can hold a secret, so nothing is searched for one. */
export interface Answered {
  requestId: string
  operation: string
  method: string
  status: number
  ms: number
  tenant: string | undefined
  user: string | undefined
  ip: string | undefined
}

export interface RequestLog {
  write(answered: Answered): void
}

/** Levels at which requests are not worth a line. */
const QUIET = new Set(['warn', 'error', 'fatal', 'silent'])

/**
 * One line for each request, in the shape of every other line. There are thousands a second, so they are written without
 * the machinery of the log (a quarter of the time of a read), and become text together, when they leave.
 */
export function createRequestLog({ service, version, level, destination }: LogOptions): RequestLog {
  if (QUIET.has(level)) return { write() {} }
  const lines: Lines = destination ? { write: (line) => destination.write(String(line)) } : standardOutput
  return {
    write: (answered) => lines.write(new RequestLine({ service, version }, answered)),
  }
}

class RequestLine {
  readonly #base: { service: string; version: string }
  readonly #answered: Answered
  readonly #atMs = Date.now()
  readonly #traceId = activeTraceId()

  constructor(base: { service: string; version: string }, answered: Answered) {
    this.#base = base
    this.#answered = answered
  }

  /** Written out by hand, for `JSON.stringify` takes six times as long. */
  toString(): string {
    const { service, version } = this.#base
    const { requestId, operation, method, status, ms, tenant, user, ip } = this.#answered
    const about = `"service":${quoted(service)},"version":${quoted(version)}${field('traceId', this.#traceId)}`
    const request = `"requestId":${quoted(requestId)},"operation":${quoted(operation)},"method":${quoted(method)}`
    const who = `${field('tenant', tenant)}${field('user', user)}${field('ip', ip)}`
    return `{"level":"info","time":"${isoTime(this.#atMs)}",${about},${request},"status":${status},"ms":${ms}${who}}\n`
  }
}

/** Without anything that JSON would escape. */
const PLAIN = /^[\w.:/-]*$/

const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
const field = (name: string, text: string | undefined) => (text === undefined ? '' : `,"${name}":${quoted(text)}`)

let lastMs = 0
let lastTime = ''

/** A dozen lines may be of one millisecond, and writing out its date costs a sixth of a line. */
function isoTime(atMs: number): string {
  if (atMs !== lastMs) {
    lastMs = atMs
    lastTime = new Date(atMs).toISOString()
  }
  return lastTime
}
