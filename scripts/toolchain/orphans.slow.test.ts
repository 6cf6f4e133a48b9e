import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'
import { removeOrphanedTestRuns, SERVICES_RECORD, stopOrphans, TEST_DATA, TEST_FOLDER_PREFIX } from './orphans.ts'
import { commandOf, recordOf } from './processes.ts'
import { findState } from './state.ts'

const state = await findState()
// In the folder of the run, which is removed even after a kill.
const folder = join(process.env.TEST_FOLDER ?? state.folder, 'orphans')
await mkdir(folder)
await chmod(folder, 0o711)
const started: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** A program with a given command line that leads a process group, as the services do. */
function start(mark: string) {
  const child = Bun.spawn([process.execPath, '-e', 'setInterval(() => {}, 1000)', mark], { detached: true })
  started.push(child)
  return child
}

async function testRun(pid: number): Promise<string> {
  const run = join(folder, `${TEST_FOLDER_PREFIX}${pid}`)
  await mkdir(run)
  await chmod(run, 0o711)
  return run
}

test('a killed test run: its database is stopped and removed, that of a running one is not', async () => {
  const living = start('scripts/commands/test/main.ts')
  await recordOf(living.pid, 'scripts/commands/test/main.ts')
  await testRun(living.pid)
  const killed = start('scripts/commands/test/main.ts')
  const run = await testRun(killed.pid)
  killed.kill('SIGKILL')
  await killed.exited
  const cluster = await startCluster({
    state,
    data: join(run, TEST_DATA),
    logFile: join(run, 'postgres.log'),
    password: 'x',
    settings: { fsync: 'off', shared_buffers: '16MB' },
    progress() {},
  })

  await removeOrphanedTestRuns(folder)
  expect(await cluster.exited).toBe(0)
  expect(await readdir(folder)).toEqual([`${TEST_FOLDER_PREFIX}${living.pid}`])
})

test('services of a killed launcher: stopped', async () => {
  const services = start('/checkout/services/all/main.ts')
  const record = await recordOf(services.pid, '/checkout/services/all/main.ts')
  await Bun.write(join(folder, SERVICES_RECORD), JSON.stringify(record))
  await stopOrphans(folder)
  expect(await services.exited).not.toBe(0)
  expect(await Bun.file(join(folder, SERVICES_RECORD)).exists()).toBe(false)
})

test('a program that reuses the process id of the services: no signal', async () => {
  const otherProgram = start('/checkout/services/all/main.ts')
  const record = await recordOf(otherProgram.pid, '/checkout/services/all/main.ts')
  await Bun.write(join(folder, SERVICES_RECORD), JSON.stringify({ ...record, startedAt: 'before' }))
  await stopOrphans(folder)
  expect(await commandOf(otherProgram.pid)).toBeDefined()
})

test('an incomplete record: removed, no process is stopped', async () => {
  await Bun.write(join(folder, SERVICES_RECORD), '{"pid": 1')
  await stopOrphans(folder)
  expect(await Bun.file(join(folder, SERVICES_RECORD)).exists()).toBe(false)
})
