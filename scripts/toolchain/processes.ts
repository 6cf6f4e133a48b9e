import { readFile } from 'node:fs/promises'
import { run } from './run.ts'

/** Identifies a started process: the system may give its id to another program later. */
export interface ProcessRecord {
  pid: number
  startedAt: string
  /** A unique part of its command line: a path of this checkout. */
  mark: string
}

/** The record of a process that was just started. */
export async function recordOf(pid: number, mark: string): Promise<ProcessRecord> {
  const deadline = Date.now() + 1_000
  let found = await lookUp(pid)
  // The command line of a process is empty for a moment after its start.
  while (!found?.command.includes(mark) && Date.now() < deadline) {
    await Bun.sleep(1)
    found = await lookUp(pid)
  }
  return { pid, mark, startedAt: found?.startedAt ?? '' }
}

/** Whether the recorded process still runs: the same id, start and command. */
export async function isAlive({ pid, startedAt, mark }: ProcessRecord): Promise<boolean> {
  const found = await lookUp(pid)
  return found !== undefined && found.startedAt === startedAt && found.command.includes(mark)
}

/** The command line of a process, with spaces between arguments; undefined when it ended or is a zombie. */
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
    // The program's name is in brackets and may contain any character; the start is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return { startedAt: `${boot?.trim()} ${ticks}`, command: commandLine.replaceAll('\0', ' ') }
  }
  const columns = (name: string) => run(['ps', '-ww', '-o', `${name}=`, '-p', String(pid)])
  const [start, command] = [await columns('lstart'), await columns('command')]
  if (start.code !== 0 || command.output.trim() === '') return undefined
  return { startedAt: start.output.trim(), command: command.output.trim() }
}

interface EndRequest {
  signal: NodeJS.Signals
  timeoutMs: number
}

/**
 * Ends a process: sends each signal in turn and waits.
 * `alive` is checked before every signal, so that none reaches a program that reuses the id.
 */
export async function end(pid: number, alive: () => Promise<boolean>, requests: EndRequest[]): Promise<void> {
  for (const { signal, timeoutMs } of requests) {
    if (!(await alive())) return
    send(pid, signal)
    const deadline = Date.now() + timeoutMs
    while (Date.now() < deadline && (await alive())) await Bun.sleep(20)
  }
}

/** Sends a signal to a process, or with a negative id to a group. A process that has ended is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
