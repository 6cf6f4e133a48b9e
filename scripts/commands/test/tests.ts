import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { BUN, CACHE, ROOT } from '../../toolchain/checkout.ts'
import { send } from '../../toolchain/processes.ts'
import { isSlow, sharesProcess } from './options.ts'
import { add, NOTHING, type Tally, tallyOf } from './tally.ts'

/** More workers would only wait for Postgres. */
const MAX_WORKERS = 8
const RUN_TIMEOUT_MS = 45 * 60_000
const HEARTBEAT_MS = 20_000

interface TestRun {
  files: string[]
  env: Record<string, string | undefined>
  /** The folder of the report. */
  folder: string
  signal: AbortSignal
  print: (text: string) => void
}

/**
 * Runs test files in parallel and counts the results. Quick files, and slow ones that only send requests and run
 * statements, share a few processes, one after the other, because loading and compiling the product takes longer than
 * most of them. Any other slow file has a process of its own, because it measures, changes the runtime or uses
 * gigabytes. Every file has a database of its own.
 */
export async function runTests({ files, ...run }: TestRun): Promise<Tally> {
  const cores = availableParallelism()
  const groups = [
    { files: files.filter((file) => !isSlow(file)), flags: ['--no-isolate'], workers: cores },
    { files: files.filter((file) => isSlow(file) && sharesProcess(file)), flags: ['--no-isolate'], workers: cores + 1 },
    // Many slow files wait for leases, retries and processes: with one more than the cores, a third of the CPU is idle.
    { files: files.filter((file) => isSlow(file) && !sharesProcess(file)), flags: [], workers: cores + 2 },
  ]
  let tally = NOTHING
  for (const group of groups) {
    if (group.files.length > 0) tally = add(tally, await runGroup({ ...run, ...group }))
  }
  return tally
}

interface Group extends TestRun {
  flags: string[]
  workers: number
}

async function runGroup({ files, flags, workers, env, folder, signal, print }: Group): Promise<Tally> {
  await mkdir(CACHE, { recursive: true })
  const report = join(folder, 'report.xml')
  await rm(report, { force: true })
  const timings = join(CACHE, 'test-timings.json')
  const child = Bun.spawn(
    [
      // The descendants end even when the run is killed.
      ...[
        BUN,
        'test',
        // Long enough for a slow or shared machine; a test that hangs still ends.
        '--timeout=30000',
        '--no-orphans',
        `--parallel=${Math.min(MAX_WORKERS, workers)}`,
        '--only-failures',
        ...flags,
      ],
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      // The slowest files start first, so that no slow file runs by itself at the end.
      ...[`--timings=${timings}`, '--update-timings'],
      ...files.map((file) => `./${file}`),
    ],
    // A process group of its own: processes that tests leave running end with it.
    { cwd: ROOT, env, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit', detached: true },
  )
  const endGroup = () => send(-child.pid, 'SIGKILL')
  signal.addEventListener('abort', endGroup, { once: true })
  const limit = setTimeout(() => {
    print(`FAILED  the tests took more than ${RUN_TIMEOUT_MS / 60_000} minutes and were ended`)
    endGroup()
  }, RUN_TIMEOUT_MS)
  const began = Date.now()
  const heartbeat = setInterval(() => {
    print(`… ${files.length} test files are running (${Math.round((Date.now() - began) / 1000)} s)`)
  }, HEARTBEAT_MS)
  const code = await child.exited
  clearTimeout(limit)
  clearInterval(heartbeat)
  signal.removeEventListener('abort', endGroup)
  endGroup()
  signal.throwIfAborted()

  const written = Bun.file(report)
  return tallyOf((await written.exists()) ? await written.text() : '', files, code)
}
