import { expect, setDefaultTimeout, test } from 'bun:test'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

setDefaultTimeout(8 * 60_000)
const chaos = (...words: string[]) =>
  run([BUN, 'scripts/lab/chaos/main.ts', ...words], { cwd: ROOT, timeoutMs: 7 * 60_000 })

test('a short run kills every program, and every event arrives on both drivers', async () => {
  const { code, output } = await chaos('--events', '500', '--endpoints', '5')
  expect([code, output]).toEqual([0, expect.stringContaining('nats-server with its store 1')])
  for (const victim of ['webhooks-1', 'webhooks-2', 'relay', 'nats-server', 'postgres', 'receiver']) {
    expect(output).toMatch(new RegExp(`${victim} \\d`))
  }
})

test.each([[['--events', '1']], [['--endpoints', '2']], [['--driver', 'kafka']]])(
  '%j is refused with the usage',
  async (words) => {
    const { code, output } = await chaos(...words)
    expect([code, output]).toEqual([2, expect.stringContaining('Run it with --help for the usage.')])
  },
)
