import { chmod, cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { roleOf } from '../../../services/kit/db/roles.ts'
import { migrate } from '../../../services/kit/migrate/migrate.ts'
import { asOwner, OWNER, type TestDatabase } from '../../../services/testing/database.ts'
import { type Cluster, startCluster } from '../../toolchain/cluster.ts'
import { findState } from '../../toolchain/state.ts'

/** A Postgres server of a rehearsal, with a database for the marketplace. */
export interface RehearsalServer {
  cluster: Cluster
  data: string
  db: TestDatabase
  /** Closes the connections to the database and stops the server. */
  stop(): Promise<void>
  /** Ends the server without a shutdown. */
  kill(): Promise<void>
}

export type Passwords = Readonly<Record<ServiceName, string>>

const state = await findState()
const base = join(process.env.TEST_FOLDER ?? state.folder, 'rehearsals')

/** A folder that the account of Postgres can use, removed by `rm`. */
export async function rehearsalFolder(name: string): Promise<string> {
  const folder = join(base, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await chmod(base, 0o711)
  await chmod(folder, 0o777)
  return folder
}

const OWNER_PASSWORD = 'rehearsal'

/**
 * Starts a server on a data folder, which is created unless it exists. Unlike that of tests, it keeps what it
 * acknowledged.
 */
export async function startServer(
  folder: string,
  name: string,
  settings: Record<string, string> = {},
  passwords: Passwords = passwordsOf(''),
): Promise<RehearsalServer> {
  const data = join(folder, name)
  const cluster = await startCluster({
    state,
    data,
    password: OWNER_PASSWORD,
    logFile: join(folder, `${name}.log`),
    settings: { shared_buffers: '128MB', max_connections: '200', scram_iterations: '1', ...settings },
    progress() {},
  })
  const ownerUrl = cluster.urlOf('postgres')
  const owner = connect(ownerUrl, { max: 4, applicationName: 'test-owner' })
  const closers: (() => Promise<unknown>)[] = [() => owner.end({ timeout: 1 })]
  const db: TestDatabase = {
    name: `rehearsal-${name}-${cluster.port}`,
    ownerUrl,
    owner,
    urlOf: urlsOf(ownerUrl, passwords),
    beforeDrop: (close) => void closers.push(close),
  }
  return {
    cluster,
    data,
    db,
    async stop() {
      for (const close of closers.splice(0)) await close()
      await cluster.stop()
    },
    async kill() {
      const [pid = ''] = (await Bun.file(join(data, 'postmaster.pid')).text()).split('\n')
      process.kill(Number(pid), 'SIGKILL')
      await cluster.exited
      for (const close of closers.splice(0)) await close()
    },
  }
}

/** Migrates as a role that owns the database and has only `login createrole`, as the owner in a managed cloud does. */
export async function migrateAsOwner({ owner, ownerUrl }: TestDatabase, passwords: Passwords): Promise<void> {
  const [present] = await owner`select from pg_roles where rolname = ${OWNER}`
  if (!present) {
    await owner.unsafe(`create role ${OWNER} login createrole password '${OWNER}'`)
    await owner`alter database postgres owner to ${owner(OWNER)}`
  }
  await migrate({ url: asOwner(ownerUrl), passwords })
}

/** A password for each service role, with a number for the next ones. */
export const passwordsOf = (suffix: string): Passwords =>
  Object.fromEntries(SERVICES.map((service) => [service, service + suffix])) as Record<ServiceName, string>

export function urlsOf(ownerUrl: string, passwords: Passwords): TestDatabase['urlOf'] {
  return (service) => {
    const url = new URL(ownerUrl)
    url.username = roleOf(service)
    url.password = passwords[service]
    return url.href
  }
}

/** Copies a data folder and gives it to the account of Postgres. */
async function copyData(from: string, to: string, keep: (path: string) => boolean): Promise<void> {
  await cp(from, to, { recursive: true, force: true, filter: keep })
  await giveToPostgres(to)
}

/**
 * A base backup of a running server, as `pg_basebackup` makes it: the data folder and the label that names its start.
 */
export async function backUp(ownerUrl: string, data: string, target: string): Promise<void> {
  const session = connect(ownerUrl, { max: 1, applicationName: 'backup' })
  await session`select pg_backup_start('rehearsal', fast => true)`
  await copyData(data, target, (path) => !/\/(postmaster\.(pid|opts)|pg_internal\.init.*|pg_wal\/.+)$/.test(path))
  const [stopped] = await session<{ label: string }[]>`
    select labelfile as label from pg_backup_stop(wait_for_archive => false)`
  await Bun.write(join(target, 'backup_label'), stopped?.label ?? '')
  await session.end({ timeout: 1 })
}

export async function giveToPostgres(path: string): Promise<void> {
  const { uid, gid } = state.account.ids
  if (uid === undefined) return
  await Bun.$`chown -R ${uid}:${gid} ${path}`.quiet()
}
