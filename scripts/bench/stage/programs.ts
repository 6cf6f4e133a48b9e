import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { end } from '../../toolchain/processes.ts'
import { Refusal } from '../../toolchain/refusal.ts'
import { tail } from '../../toolchain/run.ts'

const READY_TIMEOUT_MS = 60_000

export interface Program {
  command: readonly string[]
  env: Record<string, string | undefined>
  logFile: string
  /** Answers 200 as soon as the program may be measured. */
  readyUrl: string
}

export interface Started {
  pid: number
  stop(): Promise<void>
}

/** Starts a server as a process of its own, its log lines in a file, and waits until it is ready. */
export async function startProgram({ command, env, logFile, readyUrl }: Program): Promise<Started> {
  const log = openSync(logFile, 'w', 0o600)
  const child = Bun.spawn([...command], { env, stdin: 'ignore', stdout: log, stderr: log })
  closeSync(log)
  const isRunning = async () => child.exitCode === null && child.signalCode === null
  const stop = () =>
    end(child.pid, isRunning, [
      { signal: 'SIGTERM', timeoutMs: 20_000 },
      { signal: 'SIGKILL', timeoutMs: 5000 },
    ])
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (performance.now() < deadline && (await isRunning())) {
    const answer = await fetch(readyUrl, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
    if (answer?.status === 200) return { pid: child.pid, stop }
    await Bun.sleep(25)
  }
  await stop()
  throw new Refusal(`${command.at(-1)} did not start; ${logFile} ends with:\n${tail(await readFile(logFile, 'utf8'))}`)
}
