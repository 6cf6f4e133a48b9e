import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findBrowser } from '../../toolchain/browser.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { startCluster } from '../../toolchain/cluster.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { explain } from '../../toolchain/command-error.ts'
import { folderInMemory } from '../../toolchain/memory.ts'
import { removeOrphanedTestRuns, TEST_DATA, testFolder } from '../../toolchain/orphans.ts'
import { run } from '../../toolchain/run.ts'
import { findState } from '../../toolchain/state.ts'
import { installNats, installPythonPackages, installVersitygw } from '../../toolchain/test-servers.ts'
import { verdict } from './checks.ts'
import { isSlow } from './options.ts'
import { add, failedOnce, NOTHING, passedOnce, type Tally } from './tally.ts'

export interface Servers {
  /** The owner's URL of the temporary Postgres. */
  databaseUrl: string
  /** Undefined when it could not be installed, which counts as a failure. */
  natsServer: string | undefined
  /** Undefined when no test needs it, or when it could not be installed, which counts as a failure. */
  s3Server: string | undefined
  /**
   * A folder of Python packages. Undefined when no test needs it, or when it could not be installed, which counts as a
   * failure.
   */
  pythonPackages: string | undefined
  /** Undefined when no test needs it, or when it could not be installed, which counts as a failure. */
  browser: string | undefined
  /** A folder of this run, removed at its end. */
  folder: string
  tally: Tally
}

/** Building the S3 server takes minutes, so it is installed only for tests with this name. */
const NEEDS_S3 = /(^|[/.])s3\.lab\.test\.ts$/

/** The guides and the Python client have programs in Python, and `./scripts/dev` builds the client. */
const NEEDS_PYTHON = /(^|\/)(dev|event-streams|guides|python-client)\.slow\.test\.ts$/

const NEEDS_BROWSER = /(^|\/)end-to-end\/console\/[^/]+\.slow\.test\.ts$/

/** The databases of quick tests need a few hundred megabytes; slow tests load millions of rows. */
const QUICK_GIB = 1
const SLOW_GIB = 8

/** Starts a Postgres without durability and installs the other servers; each test file makes its database there. */
export async function startServers(files: readonly string[], lifecycle: Lifecycle): Promise<Servers> {
  const { signal, onStop, progress } = lifecycle
  const state = await findState()
  await removeOrphanedTestRuns(state.folder)
  const folder = testFolder(state.folder)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o711 })
  // The account of Postgres must pass through, whatever the umask of the caller.
  await chmod(folder, 0o711)
  onStop(() => rm(folder, { recursive: true, force: true }))
  const neededGib = files.some(isSlow) ? SLOW_GIB : QUICK_GIB
  const inMemory = await folderInMemory(state.folder, neededGib)
  if (inMemory) onStop(() => rm(inMemory, { recursive: true, force: true }))
  const password = crypto.randomUUID()
  const cluster = await startCluster({
    state,
    password,
    signal,
    data: join(inMemory ?? folder, TEST_DATA),
    logFile: join(folder, 'postgres.log'),
    progress,
    settings: {
      // The data is removed after the run, so no write waits for the disk.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      // The journal may lie in memory: it is minimal and short.
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_wal_size: '256MB',
      // The server lives for minutes, and its passwords must not slow down thousands of connections.
      scram_iterations: '1',
      shared_buffers: '256MB',
      max_connections: '500',
    },
  })
  onStop(cluster.stop)
  let tally = NOTHING
  const unlessMissing = (name: string, installation: Promise<string>) =>
    installation.catch((error: unknown) => {
      progress(verdict(name, false, 0, explain(error)))
      tally = add(tally, failedOnce(name))
      return undefined
    })
  const natsServer = await unlessMissing('nats-server', installNats(lifecycle))
  const needsS3 = files.some((file) => NEEDS_S3.test(file))
  const s3Server = needsS3 ? await unlessMissing('versitygw', installVersitygw(lifecycle)) : undefined
  const needsPython = files.some((file) => NEEDS_PYTHON.test(file))
  const pythonPackages = needsPython
    ? await unlessMissing('python packages', installPythonPackages(lifecycle))
    : undefined
  const needsBrowser = files.some((file) => NEEDS_BROWSER.test(file))
  const browser = needsBrowser ? await unlessMissing('Chromium', findBrowser(lifecycle)) : undefined
  signal.throwIfAborted()
  return {
    folder,
    databaseUrl: cluster.urlOf('postgres'),
    natsServer,
    s3Server,
    pythonPackages,
    browser,
    tally,
  }
}

/** Makes the migrated database that every test file clones. */
export async function makeTemplate(
  env: Record<string, string | undefined>,
  { signal, progress }: Lifecycle,
): Promise<Tally> {
  const script = join(ROOT, 'scripts', 'commands', 'test', 'template.ts')
  const began = performance.now()
  const { code, output } = await run([BUN, script], { env, signal, timeoutMs: 5 * 60_000 })
  signal.throwIfAborted()
  progress(verdict('migrations', code === 0, performance.now() - began, output))
  return code === 0 ? passedOnce : failedOnce('migrations')
}
