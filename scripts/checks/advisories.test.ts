import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { BUN } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

let answer: () => Response = () => Response.json({})
const registry = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() })
afterAll(() => registry.stop(true))

const check = () =>
  run([BUN, join(import.meta.dir, 'advisories.ts')], {
    env: { ...process.env, NPM_CONFIG_REGISTRY: `http://127.0.0.1:${registry.port}/` },
  })

test('no advisory: passes', async () => {
  answer = () => Response.json({})
  expect(await check()).toEqual({ code: 0, output: '' })
})

test('an advisory on an installed version: fails with package, severity and address', async () => {
  const advisory = {
    id: 1,
    url: 'https://github.com/advisories/GHSA-0000-0000-0000',
    title: 'Statements are not escaped',
    severity: 'high',
    vulnerable_versions: '<4.0.0',
  }
  answer = () => Response.json({ postgres: [advisory] })
  expect(await check()).toEqual({
    code: 1,
    output: `postgres <4.0.0: high: Statements are not escaped (${advisory.url})\n`,
  })
})

test('a registry without an answer: passes and says that nothing was checked', async () => {
  answer = () => new Response('not allowed', { status: 405 })
  const { code, output } = await check()
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^Not checked, because the registry does not answer: .*405/),
  ])
})
