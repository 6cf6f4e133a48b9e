import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { until } from '../../services/testing/until.ts'
import { type Cluster, startCluster, stopOrphan } from './cluster.ts'
import { commandOf } from './processes.ts'
import { findState } from './state.ts'

const state = await findState()
// In the folder of the run, which is removed even after a kill.
const folder = join(process.env.TEST_FOLDER ?? state.folder, 'cluster')
await mkdir(folder)
await chmod(folder, 0o711)
const data = join(folder, 'data')
const running: Cluster[] = []
afterAll(async () => {
  for (const cluster of running) await cluster.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: { preferredPort?: number } = {}): Promise<Cluster> {
  const logFile = join(folder, 'postgres.log')
  const settings = { fsync: 'off', shared_buffers: '16MB' }
  const cluster = await startCluster({
    state,
    data,
    logFile,
    password: 'se cret/&',
    settings,
    progress() {},
    ...options,
  })
  running.push(cluster)
  return cluster
}

const lockedPid = async () => Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0])

async function query<T>(cluster: Cluster, statement: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL(cluster.urlOf('postgres'), { max: 1 })
  return statement(sql).finally(() => sql.close())
}

test('a new database: folds Ö to ö on any locale, and its mode excludes other users', async () => {
  const cluster = await start()
  const [row] = await query(
    cluster,
    (sql) => sql`select 'Ö' ilike 'ö' as folds, current_setting('server_version_num') as version`,
  )
  expect(row).toEqual({ folds: true, version: expect.stringMatching(/^18/) })
  expect((await stat(data)).mode & 0o077).toBe(0)
  const wrong = new SQL(cluster.urlOf('postgres').replace(/:[^:@]+@/, ':wrong@'), { max: 1 })
  await expect(wrong`select 1`).rejects.toThrow(/password authentication failed/)
})

test('stop and start: the data remains, on the same port if it is free', async () => {
  const first = running.at(-1) ?? (await start())
  await query(first, (sql) => sql`create table kept (id int)`)
  await first.stop()
  const second = await start({ preferredPort: first.port })
  expect(second.port).toBe(first.port)
  expect(await query(second, (sql) => sql`select to_regclass('kept') is not null as exists`)).toEqual([
    { exists: true },
  ])
})

test('the Postgres of a killed launcher: stopped without loss', async () => {
  const pid = await lockedPid()
  await stopOrphan(data)
  expect(await commandOf(pid)).toBeUndefined()
  const again = await start()
  expect(await query(again, (sql) => sql`select to_regclass('kept') is not null as exists`)).toEqual([{ exists: true }])
  await again.stop()
})

test('a process id in the lock file that another program has: no signal, and Postgres starts', async () => {
  const otherProgram = Bun.spawn([process.execPath, '-e', 'setInterval(() => {}, 1000)'])
  await writeFile(join(data, 'postmaster.pid'), `${otherProgram.pid}\n${data}\n0\n5432\n\n127.0.0.1\n\nready\n`)
  await stopOrphan(data)
  expect(otherProgram.exitCode).toBeNull()
  await until(async () => (await commandOf(otherProgram.pid)) !== undefined)
  otherProgram.kill()
  await (await start()).stop()
})

test('a database of another major version: refused in one sentence', async () => {
  const version = join(data, 'PG_VERSION')
  const real = await readFile(version, 'utf8')
  await writeFile(version, '15\n')
  await expect(start()).rejects.toThrow(/was created by Postgres 15, this is 18/)
  await writeFile(version, real)
})

test('an incomplete database: created again', async () => {
  await rm(data, { recursive: true })
  await mkdir(`${data}.new`)
  await writeFile(`${data}.new/PG_VERSION`, '18\n')
  const cluster = await start()
  expect(await query(cluster, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
})
