import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { startCluster } from '../toolchain/cluster.ts'
import { removeDeadTestRuns, TEST_DATA, testFolder } from '../toolchain/left-behind.ts'
import { folderInMemory } from '../toolchain/memory.ts'
import { bringNats } from '../toolchain/nats.ts'
import { explain } from '../toolchain/refusal.ts'
import { run } from '../toolchain/run.ts'
import { findState } from '../toolchain/state.ts'
import { bringVersitygw } from '../toolchain/versitygw.ts'
import { verdict } from './checks.ts'
import { isSlow } from './options.ts'
import { NOTHING, type Tally } from './tally.ts'

export interface Preparation {
  signal: AbortSignal
  onStop: (undo: () => Promise<void>) => void
  print: (text: string) => void
}

export interface Servers {
  /** The owner's address of the throw-away Postgres. */
  databaseUrl: string
  /** Undefined when it could not be brought, which counts as a failure of its own. */
  natsServer: string | undefined
  /** Undefined when no test asks for it, or when it could not be brought, which counts as a failure of its own. */
  s3Server: string | undefined
  /** A folder of this run alone, removed with it. */
  folder: string
  tally: Tally
}

/** Building an S3 server takes minutes: it is brought for the tests alone that say by their names that they need it. */
const NEEDS_S3 = /(^|[/.])s3\.slow\.test\.ts$/

/** The databases of the quick tests take a few hundred megabytes at once; the slow ones load millions of rows. */
const ROOM_FOR_QUICK_GIB = 1
const ROOM_FOR_SLOW_GIB = 8

/** Starts a Postgres that forgets and finds other servers: each test file then makes what it needs on them. */
export async function startServers(files: readonly string[], preparation: Preparation): Promise<Servers> {
  const { signal, onStop, print } = preparation
  const state = await findState()
  await removeDeadTestRuns(state.folder)
  const folder = testFolder(state.folder)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o711 })
  // What the caller's umask took away: Postgres's own user passes through here.
  await chmod(folder, 0o711)
  onStop(() => rm(folder, { recursive: true, force: true }))
  const neededGib = files.some(isSlow) ? ROOM_FOR_SLOW_GIB : ROOM_FOR_QUICK_GIB
  const inMemory = await folderInMemory(state.folder, neededGib)
  if (inMemory) onStop(() => rm(inMemory, { recursive: true, force: true }))
  const password = crypto.randomUUID()
  const cluster = await startCluster({
    state,
    password,
    signal,
    data: join(inMemory ?? folder, TEST_DATA),
    logFile: join(folder, 'postgres.log'),
    progress: print,
    settings: {
      // The data need not outlive the run, so nothing waits for the disk.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      // What only replicas need is not written, and what is written is kept short: it may lie in memory.
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_wal_size: '256MB',
      // Passwords of a server that lives for minutes: thousands of connections need not be slowed down.
      scram_iterations: '1',
      shared_buffers: '256MB',
      max_connections: '500',
    },
  })
  onStop(cluster.stop)
  let failed = 0
  const unlessMissing = (name: string, bringing: Promise<string>) =>
    bringing.catch((error: unknown) => {
      print(verdict(name, false, 0, explain(error)))
      failed += 1
      return undefined
    })
  const natsServer = await unlessMissing('nats-server', bringNats(print, signal))
  const needsS3 = files.some((file) => NEEDS_S3.test(file))
  const s3Server = needsS3 ? await unlessMissing('versitygw', bringVersitygw(print, signal)) : undefined
  signal.throwIfAborted()
  return {
    folder,
    databaseUrl: cluster.urlOf('postgres'),
    natsServer,
    s3Server,
    tally: { ...NOTHING, failed },
  }
}

/** Makes the migrated database that every test file clones. When it fails, so will they: the reason is shown once. */
export async function makeTemplate(
  env: Record<string, string | undefined>,
  { signal, print }: Preparation,
): Promise<Tally> {
  const script = join(ROOT, 'scripts', 'test-template.ts')
  if (!(await Bun.file(script).exists())) return NOTHING
  const began = performance.now()
  const { code, output } = await run([BUN, script], { env, signal, timeoutMs: 5 * 60_000 })
  signal.throwIfAborted()
  print(verdict('migrations', code === 0, performance.now() - began, output))
  return code === 0 ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: 1 }
}
