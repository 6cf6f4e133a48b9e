import { helpText } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'

export interface Options {
  reset: boolean
  watch: boolean
  /** Prints a line for each request. */
  verbose: boolean
  help: boolean
  /** Prints all accounts instead of a start. */
  accounts: boolean
  /** Prints the variables of the guides instead. */
  env: boolean
}

export const USAGE = helpText('dev')

const FLAGS = {
  accounts: 'accounts',
  '--env': 'env',
  '--reset': 'reset',
  '--watch': 'watch',
  '--verbose': 'verbose',
  '--help': 'help',
  '-h': 'help',
} as const

/** Reads the command line; unknown words are refused. */
export function readOptions(words: string[]): Options {
  const options: Options = { reset: false, watch: false, verbose: false, help: false, accounts: false, env: false }
  for (const word of words) {
    const flag = Object.entries(FLAGS).find(([name]) => name === word)?.[1]
    if (!flag) throw new CommandError(`Unknown option ${word}\n\n${USAGE}`)
    options[flag] = true
  }
  if (options.accounts && (options.reset || options.watch || options.verbose))
    throw new CommandError(`accounts takes no option but --env\n\n${USAGE}`)
  if (options.env && !options.accounts) throw new CommandError(`--env is an option of accounts\n\n${USAGE}`)
  return options
}
