import { closeSync, openSync } from 'node:fs'
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabasePrograms } from './account.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { freePort } from './ports.ts'
import { commandOf, end } from './processes.ts'
import { run, tail } from './run.ts'

const OWNER = 'postgres'
const MAJOR = '18'
/** After a kill, Postgres replays its journal first, which takes minutes for a large database. */
const START_TIMEOUT_MS = 5 * 60_000

/**
 * Another program took the port between the check and the start, or the sessions of a killed Postgres have not ended
 * yet.
 */
const TRANSIENT = /Address already in use|pre-existing shared memory block/

export interface ClusterOptions {
  state: DatabasePrograms
  /** The data folder, created by the first start. */
  data: string
  password: string
  /** The log of Postgres; emptied at each start. */
  logFile: string
  settings: Record<string, string>
  /** Used when it is free. */
  preferredPort?: number | undefined
  signal?: AbortSignal
  progress: (line: string) => void
}

export interface Cluster {
  port: number
  /** The owner's URL of a database. */
  urlOf(database: string): string
  exited: Promise<number>
  stop(): Promise<void>
  /** Kills Postgres without a shutdown. */
  kill(): Promise<void>
}

/** Starts the Postgres of a data folder on a free port of 127.0.0.1 and waits until it answers. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await initialise(options)
  return startOn(options, freePort(options.preferredPort), 5)
}

async function startOn(options: ClusterOptions, port: number, triesLeft: number): Promise<Cluster> {
  const child = launch(options, port)
  try {
    await ready(child, options)
  } catch (error) {
    await stopChild(child)
    if (triesLeft === 0 || !(error instanceof Error && TRANSIENT.test(error.message))) throw error
    await Bun.sleep(200)
    return startOn(options, freePort(options.preferredPort), triesLeft - 1)
  }
  const owner = `${OWNER}:${encodeURIComponent(options.password)}`
  const urlOf = (database: string) => `postgres://${owner}@127.0.0.1:${port}/${database}`
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  return { port, urlOf, exited: child.exited, stop: () => stopChild(child), kill }
}

async function initialise({ state, data, password, progress }: ClusterOptions): Promise<void> {
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined))?.trim()
  if (version === MAJOR) return ensureOwner(state, data)
  if (version !== undefined) {
    throw new CommandError(
      `${data} was created by Postgres ${version}, this is ${MAJOR}: start again with ./scripts/dev --reset.`,
    )
  }
  progress(`Creating a Postgres ${MAJOR} database`)
  // Renamed when it is complete, so that the next start does not use an incomplete database.
  const staging = `${data}.new`
  const passwordFile = `${data}.password`
  await rm(staging, { recursive: true, force: true })
  await rm(passwordFile, { force: true })
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    const { uid, gid } = state.account.ids
    if (uid !== undefined && gid !== undefined) {
      await chown(passwordFile, uid, gid)
      await makeFolderOf(uid, gid, staging)
    }
    const child = Bun.spawn(
      [
        join(state.programs, 'initdb'),
        ...['--pgdata', staging, '--username', OWNER, '--pwfile', passwordFile, '--auth=scram-sha-256', '--no-sync'],
        // Independent of the machine's locales; unlike C, it folds Ö to ö.
        ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ],
      { ...spawnOptions(state), stdout: 'pipe', stderr: 'pipe', timeout: START_TIMEOUT_MS },
    )
    const output = (await Promise.all([child.stdout.text(), child.stderr.text()])).join('')
    if ((await child.exited) !== 0) {
      throw new CommandError(sentenceFor(output) ?? `Postgres could not create a database in ${data}:\n${tail(output)}`)
    }
    await rename(staging, data)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(staging, { recursive: true, force: true })
  }
}

/** Postgres must own its data, which another user may have created before root used the checkout. */
async function ensureOwner({ account }: ClusterOptions['state'], data: string): Promise<void> {
  const { uid, gid } = account.ids
  if (uid === undefined || (await stat(data)).uid === uid) return
  const { code, output } = await run(['chown', '-R', `${uid}:${gid}`, data])
  if (code !== 0) throw new CommandError(`${data} could not be given to the user ${account.name}:\n${tail(output)}`)
}

async function makeFolderOf(uid: number, gid: number, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await chown(folder, uid, gid)
}

function spawnOptions(state: ClusterOptions['state']) {
  return {
    ...state.account.ids,
    cwd: '/',
    // Without the caller's variables, because Postgres reads PGDATA, PGPORT and the locale.
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdin: 'ignore',
  } as const
}

function launch({ state, data, logFile, settings }: ClusterOptions, port: number) {
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(logFile, 'w', 0o600)
  try {
    // A process group of its own: Ctrl-C in the terminal reaches only the launcher, which stops everything in order.
    return Bun.spawn([join(state.programs, 'postgres'), '-D', data, ...flags], {
      ...spawnOptions(state),
      stdout: log,
      stderr: log,
      detached: true,
    })
  } finally {
    closeSync(log)
  }
}

type Child = ReturnType<typeof launch>

/** A standby is ready for reads. */
const READY = new Set(['ready', 'standby'])

/** Postgres writes its state into the last line of its lock file; pg_ctl waits for it in the same way. */
async function ready(child: Child, { data, logFile, signal, progress }: ClusterOptions): Promise<void> {
  const began = Date.now()
  let lastProgress = began
  while (Date.now() - began < START_TIMEOUT_MS) {
    signal?.throwIfAborted()
    const lock = await readLock(data)
    if (lock?.pid === child.pid && READY.has(lock.status)) return
    if (child.exitCode !== null || child.signalCode !== null) {
      const log = await readFile(logFile, 'utf8').catch(() => '')
      throw new CommandError(sentenceFor(log) ?? `Postgres did not start; ${logFile} ends with:\n${tail(log)}`)
    }
    if (Date.now() - lastProgress > 5_000) {
      lastProgress = Date.now()
      progress(`Postgres is still starting (${Math.round((lastProgress - began) / 1000)} s)`)
    }
    await Bun.sleep(10)
  }
  throw new CommandError(`Postgres was not ready within ${START_TIMEOUT_MS / 1000} s: see ${logFile}.`)
}

async function readLock(data: string): Promise<{ pid: number; status: string } | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] ? { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' } : undefined
}

/** SIGINT is a fast shutdown: sessions end, nothing is lost. After SIGQUIT the next start recovers. */
const SHUTDOWN = [
  { signal: 'SIGINT', timeoutMs: 30_000 },
  { signal: 'SIGQUIT', timeoutMs: 5_000 },
  { signal: 'SIGKILL', timeoutMs: 5_000 },
] as const

async function stopChild(child: Child): Promise<void> {
  await end(child.pid, async () => child.exitCode === null && child.signalCode === null, [...SHUTDOWN])
}

/**
 * Stops the Postgres of a killed launcher on a data folder. Its command line must name the folder,
 * because the process id in the lock file may belong to another program by now.
 */
export async function stopOrphan(data: string): Promise<void> {
  const lock = await readLock(data)
  if (!lock) return
  const isOurs = async () => (await commandOf(lock.pid))?.includes(`postgres -D ${data} `) ?? false
  await end(lock.pid, isOurs, [...SHUTDOWN])
  // Postgres refuses to start while another process of the same user has this id.
  await rm(join(data, 'postmaster.pid'), { force: true })
}
