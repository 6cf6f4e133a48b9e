import { ApiError } from '../errors.ts'

/** The exit codes of the command line. */
export const EXIT = { refused: 1, usage: 2, signIn: 3, unreachable: 4 } as const

/** A failure that is told in one sentence. */
export class CliError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.usage) {
    super(message)
    this.exitCode = exitCode
  }
}

interface Failure {
  name: string
  message: string
  code?: string
  cause?: { code?: string; message?: string }
}

const UNREACHABLE =
  /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|DNSResolve)/

/** The exit code of an error, and what is printed of it. */
export function explain(error: unknown): { exitCode: number; text: string } {
  if (error instanceof CliError) return { exitCode: error.exitCode, text: error.message }
  if (error instanceof ApiError) {
    const fields = error.fields.map(({ field, message }) => `\n  ${field}: ${message}`).join('')
    const request = error.requestId === undefined ? '' : `\nrequest ${error.requestId}`
    const exitCode = error.status === 401 ? EXIT.signIn : EXIT.refused
    return {
      exitCode,
      text: `${error.message}${error.code === undefined ? '' : ` (${error.code})`}${fields}${request}`,
    }
  }
  const { name, message, code, cause } = error as Failure
  // Node hides the reason in `cause`; Bun has its code.
  if (message === 'fetch failed' || name === 'TimeoutError' || UNREACHABLE.test(code ?? '')) {
    return {
      exitCode: EXIT.unreachable,
      text: `The marketplace cannot be reached: ${cause?.message || cause?.code || message}`,
    }
  }
  return { exitCode: EXIT.refused, text: error instanceof Error ? (error.stack ?? message) : String(error) }
}
