import { readFile } from 'node:fs/promises'
import { run } from './run.ts'

/** A process as it was when we started it. A number alone may belong to a stranger by the time we look again. */
export interface ProcessRecord {
  pid: number
  startedAt: string
  /** A part of its command line that no other program has: a path of this checkout. */
  mark: string
}

/** What to remember of a process that we just started. */
export async function recordOf(pid: number, mark: string): Promise<ProcessRecord> {
  const deadline = Date.now() + 1_000
  let found = await lookUp(pid)
  // For a moment after its start a process has no command line yet.
  while (!found?.command.includes(mark) && Date.now() < deadline) {
    await Bun.sleep(1)
    found = await lookUp(pid)
  }
  return { pid, mark, startedAt: found?.startedAt ?? '' }
}

/** Whether the recorded process still runs: the same number, the same start, the same command. */
export async function isAlive({ pid, startedAt, mark }: ProcessRecord): Promise<boolean> {
  const found = await lookUp(pid)
  return found !== undefined && found.startedAt === startedAt && found.command.includes(mark)
}

/** The command line of a process, its arguments parted by spaces; nothing when it is gone or a zombie. */
export const commandOf = async (pid: number) => (await lookUp(pid))?.command

async function lookUp(pid: number): Promise<{ startedAt: string; command: string } | undefined> {
  if (!Number.isSafeInteger(pid) || pid < 2) return undefined
  if (process.platform === 'linux') {
    const folder = `/proc/${pid}`
    const [stat, commandLine, boot] = await Promise.all(
      [`${folder}/stat`, `${folder}/cmdline`, '/proc/sys/kernel/random/boot_id'].map((file) =>
        readFile(file, 'utf8').catch(() => ''),
      ),
    )
    if (!stat || !commandLine) return undefined
    // The name of the program stands in brackets and may hold anything; the start is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return { startedAt: `${boot?.trim()} ${ticks}`, command: commandLine.replaceAll('\0', ' ') }
  }
  const columns = (name: string) => run(['ps', '-ww', '-o', `${name}=`, '-p', String(pid)])
  const [start, command] = [await columns('lstart'), await columns('command')]
  if (start.code !== 0 || command.output.trim() === '') return undefined
  return { startedAt: start.output.trim(), command: command.output.trim() }
}

export interface Patience {
  signal: NodeJS.Signals
  timeoutMs: number
}

/**
 * Asks a process to end and waits; what outlives one request gets the next.
 * `alive` is asked before every signal, so that none reaches a stranger who got the number meanwhile.
 */
export async function end(pid: number, alive: () => Promise<boolean>, requests: Patience[]): Promise<void> {
  for (const { signal, timeoutMs } of requests) {
    if (!(await alive())) return
    send(pid, signal)
    const deadline = Date.now() + timeoutMs
    while (Date.now() < deadline && (await alive())) await Bun.sleep(20)
  }
}

/** A signal to one process, or with a negative number to a group; one that is gone already is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
