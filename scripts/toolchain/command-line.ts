import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { explain } from './command-error.ts'

/** The exit code of a wrong command line. */
const USAGE_ERROR = 2

/** A command line: `--help` only describes it, unknown and surplus words are refused, and errors are sentences. */
export const commandLine = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .helpCommand(false)
    .showHelpAfterError(`Run it with --help for the usage.`)
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))

/** `error: unknown command 'x'` becomes `Unknown command 'x'.` A suggestion follows on its own line. */
function asSentence(text: string): string {
  const [line = '', ...others] = text.replace(/^error: /, '').split('\n')
  const end = /[.:]$/.test(line) ? '' : '.'
  return [`${line.slice(0, 1).toUpperCase()}${line.slice(1)}${end}`, ...others].join('\n')
}

/** Runs the command that the arguments name, and ends the process. */
export async function runCommandLine(program: Command): Promise<never> {
  try {
    await program.parseAsync(process.argv.slice(2), { from: 'user' })
  } catch (error) {
    const reason = explain(error)
    console.error(reason)
    // Set in the Jobs of the chart: what Kubernetes shows as the reason of the end of the container.
    if (process.env.TERMINATION_LOG) writeFileSync(process.env.TERMINATION_LOG, reason)
    process.exit(process.exitCode ?? 1)
  }
  process.exit(process.exitCode ?? 0)
}
