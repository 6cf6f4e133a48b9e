import { closeSync, openSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { ROOT } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { end, isAlive, type ProcessRecord, recordOf, send } from './processes.ts'
import { tail } from './run.ts'

const READY_TIMEOUT_MS = 120_000
const PROGRESS_EVERY_MS = 5_000

export interface Program {
  name: string
  command: readonly string[]
  env: Record<string, string | undefined>
  logFile: string
  /** Answers 200 when the program is ready. */
  readyUrl: string
  /** Keeps the process record, so that the next start can stop the program after a kill of its launcher. */
  recordFile?: string
  signal?: AbortSignal
  progress?: (line: string) => void
}

export interface RunningProgram {
  pid: number
  /** Resolves with the reason when the program ends. */
  exited: Promise<string>
  stop(): Promise<void>
}

/** Starts a server as a process of its own, with its output in a log file, and waits until it is ready. */
export async function startProgram(program: Program): Promise<RunningProgram> {
  const { command, env, logFile, recordFile } = program
  const log = openSync(logFile, 'w', 0o600)
  // A process group of its own: Ctrl-C in the terminal reaches only the launcher, which stops everything in order.
  const child = Bun.spawn([...command], { cwd: ROOT, env, stdin: 'ignore', stdout: log, stderr: log, detached: true })
  closeSync(log)
  const record = await recordOf(child.pid, command.at(-1) ?? '')
  const stop = async () => {
    // Not by its command line, which is empty while `bun --watch` replaces the program.
    await stopProgram(record, async () => child.exitCode === null && child.signalCode === null)
    if (recordFile) await rm(recordFile, { force: true })
  }
  try {
    if (recordFile) await writeFile(recordFile, JSON.stringify(record), { mode: 0o600 })
    await ready(child, program)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid, exited: child.exited.then(() => reasonOf(child, program)), stop }
}

/** A program leads a process group; the processes that it started end with it. */
export async function stopProgram(record: ProcessRecord, alive = () => isAlive(record)): Promise<void> {
  // Longer than the grace period in which a service finishes its requests.
  await end(record.pid, alive, [{ signal: 'SIGTERM', timeoutMs: 30_000 }])
  if (!(await alive())) return
  send(-record.pid, 'SIGKILL')
  await end(record.pid, alive, [{ signal: 'SIGKILL', timeoutMs: 5_000 }])
}

async function ready(child: Bun.Subprocess, program: Program): Promise<void> {
  const { name, readyUrl, logFile, signal, progress } = program
  const began = Date.now()
  let lastProgress = began
  while (Date.now() - began < READY_TIMEOUT_MS) {
    signal?.throwIfAborted()
    const answer = await fetch(readyUrl, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    if (answer?.status === 200) return
    if (child.exitCode !== null || child.signalCode !== null) throw new CommandError(await reasonOf(child, program))
    if (Date.now() - lastProgress > PROGRESS_EVERY_MS) {
      lastProgress = Date.now()
      progress?.(`${name}: starting for ${Math.round((lastProgress - began) / 1000)} s`)
    }
    await Bun.sleep(25)
  }
  throw new CommandError(`${name} was not ready within ${READY_TIMEOUT_MS / 1000} s: see ${logFile}.`)
}

async function reasonOf({ signalCode, exitCode }: Bun.Subprocess, { name, logFile }: Program): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '')
  const diskFull = /ENOSPC|No space left/.test(log) ? sentenceFor(log) : undefined
  return diskFull ?? `${name} stopped (${signalCode ?? `exit code ${exitCode}`}); ${logFile} ends with:\n${tail(log)}`
}
