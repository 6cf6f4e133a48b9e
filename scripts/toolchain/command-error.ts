/** An error that the user can correct: printed as one sentence, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
}

const again = () => `run ${process.env.INVOKED_AS ?? 'the command'} again`

/** The sentence for a common failure, recognized in the output of any tool. */
export function sentenceFor(output: string): string | undefined {
  if (/ENOSPC|EDQUOT|No space left|NoSpaceLeft|disk quota exceeded/i.test(output)) {
    return `The disk is full: free 1 GB and ${again()}.`
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ConnectionRefused|FailedToOpenSocket|DNSResolveFailed|NewConnectionError|Temporary failure in name resolution|no such host|dial tcp/.test(
      output,
    )
  ) {
    return `The package registry cannot be reached: the first start downloads packages; connect to the network and ${again()}.`
  }
  if (/was changed after it was applied/.test(output)) {
    return 'The data was written by an earlier build: ./scripts/dev --reset deletes it and starts afresh.'
  }
  return undefined
}

/** By the codes of sockets and of the drivers of Postgres and NATS. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens on this port',
  CONNECTION_REFUSED: 'nothing listens on this port',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  CONNECT_TIMEOUT: 'no answer within 5 s',
  CONNECTION_TIMEOUT: 'no answer within 5 s',
  CONNECTION_CLOSED: 'it closes the connection',
  TIMEOUT: 'no answer within 5 s',
}

/** Why a server does not answer, without a full stop. */
export function reasonOf({ code = '', message }: Error & { code?: string }): string {
  return REASONS[code] ?? message.replace(/\.$/, '')
}

/** The text of an error that ends a command: one sentence if possible, else the stack. */
export function explain(error: unknown): string {
  if (error instanceof CommandError) return error.message
  if (error instanceof Error && error.cause instanceof CommandError) return error.cause.message
  if (!(error instanceof Error)) return String(error)
  // By its name, because its module needs packages that may not be installed yet.
  if (error.name === 'BadConfiguration' || error.name === 'ApiError') return error.message
  // Only a full disk: a refused connection between processes of the marketplace is not a network failure.
  if (/ENOSPC|EDQUOT|No space left/.test(`${'code' in error ? error.code : ''} ${error.message}`)) {
    return sentenceFor('ENOSPC') ?? error.message
  }
  if ('code' in error && (error.code === 'EACCES' || error.code === 'EPERM') && 'path' in error) {
    return `${error.path} belongs to another user: run ${process.env.INVOKED_AS ?? 'this'} as its owner, or remove it.`
  }
  return error.stack ?? error.message
}
