import { ApiError, NetworkError } from '../errors.ts'

/** The exit codes of the command line. */
export const EXIT = { refused: 1, usage: 2, signIn: 3, unreachable: 4 } as const

/** A failure that is reported in one sentence. */
export class CliError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.usage) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit code of an error, and what is printed of it. */
export function explain(error: unknown): { exitCode: number; text: string } {
  if (error instanceof CliError) return { exitCode: error.exitCode, text: error.message }
  if (error instanceof ApiError) {
    const lines = error.fields.map(({ field, message }) => `\n  ${field}: ${message}`).join('')
    const request = error.requestId === undefined ? '' : `\nrequest ${error.requestId}`
    const exitCode = error.status === 401 ? EXIT.signIn : EXIT.refused
    return {
      exitCode,
      text: `${error.message}${error.code === undefined ? '' : ` (${error.code})`}${lines}${request}`,
    }
  }
  if (error instanceof NetworkError)
    return { exitCode: EXIT.unreachable, text: `The marketplace cannot be reached: ${error.message}` }
  return { exitCode: EXIT.refused, text: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
