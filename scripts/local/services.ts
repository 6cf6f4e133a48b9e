import { closeSync, openSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { SERVICES_RECORD, stopServices } from '../toolchain/left-behind.ts'
import { type ProcessRecord, recordOf } from '../toolchain/processes.ts'
import { Refusal, sentenceFor } from '../toolchain/refusal.ts'
import { tail } from '../toolchain/run.ts'

const READY_TIMEOUT_MS = 120_000

export interface Services {
  logFile: string
  /** Settles when they stop, with the reason. */
  exited: Promise<string>
  stop(): Promise<void>
}

export interface ServicesOptions {
  folder: string
  env: Record<string, string | undefined>
  healthPort: number
  watch: boolean
  signal: AbortSignal
  progress: (line: string) => void
}

/** Starts all services in one process and waits until they are ready for requests. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { folder, env, watch } = options
  const logFile = join(folder, 'services.log')
  const main = join(ROOT, 'services', 'all', 'main.ts')
  const log = openSync(logFile, 'w', 0o600)
  // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which stops things in order.
  const child = Bun.spawn([BUN, '--max-http-header-size=262144', ...(watch ? ['--watch'] : []), main], {
    cwd: ROOT,
    env,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
    detached: true,
  })
  closeSync(log)
  const record: ProcessRecord = await recordOf(child.pid, main)
  const recordFile = join(folder, SERVICES_RECORD)
  const stop = async () => {
    await stopServices(record)
    await rm(recordFile, { force: true })
  }
  try {
    await writeFile(recordFile, JSON.stringify(record), { mode: 0o600 })
    await ready(child, logFile, options)
  } catch (error) {
    await stop()
    throw error
  }
  return { logFile, exited: child.exited.then(() => lastWords(child, logFile)), stop }
}

async function ready(child: Bun.Subprocess, logFile: string, options: ServicesOptions): Promise<void> {
  const { healthPort, signal, progress } = options
  const began = Date.now()
  let told = began
  while (Date.now() - began < READY_TIMEOUT_MS) {
    signal.throwIfAborted()
    const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    )
    if (answer?.status === 200) return
    if (child.exitCode !== null || child.signalCode !== null) throw new Refusal(await lastWords(child, logFile))
    if (Date.now() - told > 5_000) {
      told = Date.now()
      progress(`The services are still starting (${Math.round((told - began) / 1000)} s)`)
    }
    await Bun.sleep(25)
  }
  throw new Refusal(`The services were not ready within ${READY_TIMEOUT_MS / 1000} s: ${logFile} says why.`)
}

/** Why the services are not there any more. */
async function lastWords(child: Bun.Subprocess, logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '')
  const full = /ENOSPC|No space left/.test(log) ? sentenceFor(log) : undefined
  return (
    full ??
    `The services stopped (${child.signalCode ?? `exit code ${child.exitCode}`}); ${logFile} ends with:\n${tail(log)}`
  )
}
