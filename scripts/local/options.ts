import { Refusal } from '../toolchain/refusal.ts'

export interface Options {
  reset: boolean
  watch: boolean
  help: boolean
  /** Prints all accounts instead of a start. */
  accounts: boolean
}

export const USAGE = `Usage: ./scripts/dev [--reset] [--watch]
       ./scripts/dev accounts

Starts the marketplace with demo data and prints how to sign in. Ctrl-C stops it; the data remains for the next start.

  accounts  prints all demo accounts
  --reset   removes the database, files, secrets and accounts of this checkout first
  --watch   reloads the services when a source file changes
  --help    prints this

Environment:
  PORT          port of the marketplace (8080)
  DATABASE_URL  the owner's URL of an empty Postgres 18 database; unset: an embedded Postgres is started
  NATS_URL      a NATS server with JetStream; unset: events go through Postgres
  HEALTH_PORT   port of health and metrics (a free port, which the log names)
  LOG_LEVEL     log level of the services (info)

Other variables of OPERATIONS.md, such as HOST or CORS_ORIGINS, are passed on to the services.
`

const FLAGS = { accounts: 'accounts', '--reset': 'reset', '--watch': 'watch', '--help': 'help', '-h': 'help' } as const

/** Reads the command line; unknown words are refused. */
export function readOptions(words: string[]): Options {
  const options: Options = { reset: false, watch: false, help: false, accounts: false }
  for (const word of words) {
    const flag = Object.entries(FLAGS).find(([name]) => name === word)?.[1]
    if (!flag) throw new Refusal(`Unknown option ${word}\n\n${USAGE}`)
    options[flag] = true
  }
  if (options.accounts && (options.reset || options.watch))
    throw new Refusal(`accounts takes no other option\n\n${USAGE}`)
  return options
}
