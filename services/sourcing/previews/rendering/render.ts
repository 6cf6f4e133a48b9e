import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Answer, decodeAnswer, outputOf } from './answer.ts'
import { DEFAULT_MAX_TRIANGLES, DEFAULT_TIMEOUT_MS, MAX_FILE_BYTES } from './limits.ts'
import type { FailureReason, Rendering } from './rendering.ts'

export type { FailureReason, Geometry, Preview, Rendering } from './rendering.ts'

export interface RenderOptions {
  signal: AbortSignal
  maxMemoryBytes: number
  timeoutMs?: number
  maxBytes?: number
  maxTriangles?: number
}

const PROGRAM = join(import.meta.dir, 'renderer.ts')
/** The folder has neither settings of Bun nor a file of variables. */
const FOLDER = '/'
const MEMORY_CHECK_MS = 50

/** The kernel refused to confine the process, so that it read nothing. */
export class Unconfined extends Error {
  constructor(message: string) {
    super(`A process for previews cannot be confined: ${message}`)
    this.name = 'Unconfined'
  }
}

/** Measures and pictures one file in a process of its own. Rejects when it is aborted, or cannot confine a process. */
export async function render(path: string, options: RenderOptions): Promise<Rendering> {
  const { signal, maxBytes = MAX_FILE_BYTES } = options
  signal.throwIfAborted()
  const file = resolve(path)
  const { size } = await stat(file)
  if (size > maxBytes) return { state: 'FAILED', reason: 'TOO_LARGE' }
  const answer = await answerOfProcess(file, options)
  signal.throwIfAborted()
  if (answer.state === 'UNCONFINED') throw new Unconfined(answer.message)
  return answer
}

async function answerOfProcess(
  file: string,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS, maxTriangles = DEFAULT_MAX_TRIANGLES, maxMemoryBytes }: RenderOptions,
): Promise<Answer> {
  const options = [file, process.pid, maxMemoryBytes, maxTriangles].map(String)
  const child = Bun.spawn([process.execPath, '--no-install', '--no-env-file', PROGRAM, ...options], {
    cwd: FOLDER,
    // Bun writes no cache of modules.
    env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    // A session of its own, whose processes end together.
    detached: true,
  })
  let killedFor: FailureReason | undefined
  const kill = (reason: FailureReason) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    killedFor ??= reason
    process.kill(-child.pid, 'SIGKILL')
  }
  const abort = () => kill('CRASHED')
  signal.addEventListener('abort', abort)
  const deadline = setTimeout(() => kill('TIMEOUT'), timeoutMs)
  const memory = setInterval(() => {
    if (residentBytes(child.pid) > maxMemoryBytes) kill('OUT_OF_MEMORY')
  }, MEMORY_CHECK_MS)
  try {
    const output = await outputOf(child.stdout, () => kill('CRASHED'))
    await child.exited
    if (killedFor) return { state: 'FAILED', reason: killedFor }
    // Nothing here sent the signal: the kernel was short of memory.
    if (child.signalCode === 'SIGKILL') return { state: 'FAILED', reason: 'OUT_OF_MEMORY' }
    return (child.exitCode === 0 && decodeAnswer(output)) || { state: 'FAILED', reason: 'CRASHED' }
  } finally {
    kill('CRASHED')
    clearTimeout(deadline)
    clearInterval(memory)
    signal.removeEventListener('abort', abort)
  }
}

/** Memory of a process in RAM; zero where the system does not tell it in this way, or the process has ended. */
function residentBytes(processId: number): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return 0
  }
}
