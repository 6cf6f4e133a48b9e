import { afterAll, expect, test } from 'bun:test'
import { coreShareOf } from '../../../services/testing/cpu-time.ts'
import { until } from '../../../services/testing/until.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'

const tools = Bun.spawn([BUN, commandFile('marketplace'), 'tools'], { stdin: 'ignore', stdout: 'pipe' })
afterAll(() => tools.kill('SIGKILL'))

test('tools waits for commands without taking CPU time, and SIGTERM ends it with 0', async () => {
  const { value } = await tools.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('Waiting for commands.\n')
  const isIdle = async () => (await coreShareOf(tools.pid)) < 0.1
  await until(isIdle, { withinMs: 5000, what: 'an interval in which tools takes less than a tenth of a core' })
  tools.kill('SIGTERM')
  expect(await tools.exited).toBe(0)
})
