import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from './lock.ts'
import { recordOf } from './processes.ts'

const root = await mkdtemp(join(tmpdir(), 'lock-'))
afterAll(() => rm(root, { recursive: true }))
const file = join(root, 'launcher.json')
afterEach(() => rm(file, { force: true }))

const lockOf = (address: string) => ({
  path: file,
  script: 'scripts/commands/dev/main.ts',
  title: 'This checkout',
  address,
})

/** A launcher in another terminal. */
function launcher() {
  return Bun.spawn([process.execPath, '-e', 'setInterval(() => {}, 1000)', 'scripts/commands/dev/main.ts'])
}

test('a second launcher: refused with the address of the first', async () => {
  const other = launcher()
  const record = await recordOf(other.pid, 'scripts/commands/dev/main.ts')
  await writeFile(file, JSON.stringify({ ...record, address: 'http://localhost:8080' }))
  await expect(takeLock(lockOf('http://localhost:8081'))).rejects.toThrow(
    `This checkout is running already, on http://localhost:8080 (process ${other.pid})`,
  )
  other.kill()
  await other.exited
})

test('the lock of a killed launcher: taken over', async () => {
  const other = launcher()
  const record = await recordOf(other.pid, 'scripts/commands/dev/main.ts')
  await writeFile(file, JSON.stringify({ ...record, address: 'http://localhost:8080' }))
  other.kill('SIGKILL')
  await other.exited
  const release = await takeLock(lockOf('http://localhost:8080'))
  expect(await Bun.file(file).json()).toMatchObject({ pid: process.pid })
  await release()
  expect(await Bun.file(file).exists()).toBe(false)
})

test('an incomplete lock file: ignored', async () => {
  await writeFile(file, '{"pid": 1')
  await (await takeLock(lockOf('http://localhost:8080')))()
})
