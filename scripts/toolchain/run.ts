import { ROOT } from './checkout.ts'

export interface Finished {
  code: number
  /** Standard output, then standard error. */
  output: string
}

interface RunOptions {
  env?: Record<string, string | undefined>
  cwd?: string
  timeoutMs?: number
  signal?: AbortSignal
}

/** Runs a command without standard input and returns its output. A missing program is code 127. */
export async function run(command: string[], options: RunOptions = {}): Promise<Finished> {
  const { env = process.env, cwd = ROOT, timeoutMs = 10 * 60_000, signal } = options
  if (command[0] === undefined || Bun.which(command[0], { PATH: env.PATH ?? '' }) === null) {
    return { code: 127, output: `${command[0]} is not installed\n` }
  }
  const child = Bun.spawn(command, {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeoutMs,
    ...(signal && { signal }),
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const code = await child.exited
  const killed = child.signalCode === null ? '' : `${command[0]} was ended by ${child.signalCode}\n`
  return { code: killed === '' ? code : code || 1, output: out + err + killed }
}

/** The output of a command, which is the error where the command fails. */
export async function outputOf(command: string[], options?: RunOptions): Promise<string> {
  const { code, output } = await run(command, options)
  if (code !== 0) throw new Error(output)
  return output
}

/** The last lines of a text, for the end of an error. */
export const tail = (text: string, lines = 20) => text.trimEnd().split('\n').slice(-lines).join('\n')
