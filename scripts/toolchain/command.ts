import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './checkout.ts'
import { explain } from './command-error.ts'

/** Signal handling, clean-up and progress of a running command. */
export interface Lifecycle {
  /** Aborted by SIGINT, SIGTERM or SIGHUP. */
  signal: AbortSignal
  /** Registers a step of the clean-up; the steps run in reverse order. */
  onStop: (step: () => Promise<void>) => void
  progress: (line: string) => void
}

interface CommandOptions {
  progress?: (line: string) => void
  /** The exit code after a signal. */
  interruptedCode?: number
}

/** Rejects when the signal is aborted. */
export const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/**
 * Runs `dev`, `test` or `bench`: ends at a signal, cleans up in reverse order, and exits with the code that it returns.
 */
export async function runCommand(
  work: (lifecycle: Lifecycle) => Promise<number>,
  { progress = console.log, interruptedCode = 130 }: CommandOptions = {},
): Promise<never> {
  const stopping = new AbortController()
  const { signal } = stopping
  const steps: (() => Promise<void>)[] = []
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // A second signal does not wait for the clean-up; the next run stops the remaining processes.
      if (signal.aborted) process.exit(130)
      stopping.abort()
    })
  }
  let code = 0
  const fail = (error: unknown) => {
    console.error(explain(error))
    code = 1
  }
  try {
    code = await work({ signal, onStop: (step) => steps.push(step), progress })
  } catch (error) {
    if (!signal.aborted) fail(error)
  }
  if (signal.aborted) {
    progress('Stopping')
    code = interruptedCode
  }
  for (const step of steps.reverse()) await step().catch(fail)
  process.exit(code)
}

/** The help of `./scripts/<name>`. It is a file, because the scripts print it where Bun or packages are missing. */
export const helpText = (name: string): string =>
  readFileSync(join(ROOT, 'scripts', 'commands', name, 'help.txt'), 'utf8')
