import { afterAll, expect, test } from 'bun:test'
import { commandOf, end, isAlive, recordOf, send } from './processes.ts'

const started: Bun.Subprocess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** A program with a unique argument that runs until it is killed. */
function start(mark: string, script = 'setInterval(() => {}, 1000); console.log("up")') {
  const child = Bun.spawn([process.execPath, '-e', script, mark], { stdout: 'pipe' })
  started.push(child)
  return child
}

async function firstOutput(child: ReturnType<typeof start>) {
  for await (const chunk of child.stdout) return new TextDecoder().decode(chunk)
  return ''
}

test('a recorded process: alive while it runs, not after', async () => {
  const child = start('mark-one')
  const record = await recordOf(child.pid, 'mark-one')
  expect(await isAlive(record)).toBe(true)
  child.kill('SIGKILL')
  await child.exited
  expect(await isAlive(record)).toBe(false)
})

test('another program with the process id: not the recorded process', async () => {
  const child = start('mark-two')
  const record = await recordOf(child.pid, 'mark-two')
  expect(await isAlive({ ...record, startedAt: 'another time' })).toBe(false)
  expect(await isAlive({ ...record, mark: '/another/checkout' })).toBe(false)
})

test('another program with the process id: no signal', async () => {
  const child = start('mark-three')
  const record = { ...(await recordOf(child.pid, 'mark-three')), startedAt: 'another time' }
  await end(child.pid, () => isAlive(record), [{ signal: 'SIGKILL', timeoutMs: 1_000 }])
  expect(await commandOf(child.pid)).toContain('mark-three')
})

test('a process that ignores the first signal gets the next', async () => {
  const child = start('mark-four', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")')
  await firstOutput(child)
  const record = await recordOf(child.pid, 'mark-four')
  await end(child.pid, () => isAlive(record), [
    { signal: 'SIGTERM', timeoutMs: 100 },
    { signal: 'SIGKILL', timeoutMs: 5_000 },
  ])
  expect(await isAlive(record)).toBe(false)
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
})

test('a signal to an ended process: no error', async () => {
  const child = start('mark-five')
  child.kill('SIGKILL')
  await child.exited
  expect(() => send(child.pid, 'SIGTERM')).not.toThrow()
})

test.each([0, 1, -1, Number.NaN, 2 ** 53])('process id %p: never alive', async (pid) => {
  expect(await commandOf(pid)).toBeUndefined()
})
