import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { BUN } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

let answer: (packages: object) => Response = () => Response.json({})
const registry = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const text = request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(body) : body
    return answer(JSON.parse(new TextDecoder().decode(text)))
  },
})
afterAll(() => registry.stop(true))

const check = () =>
  run([BUN, join(import.meta.dir, 'advisories.ts')], {
    env: { ...process.env, NPM_CONFIG_REGISTRY: `http://127.0.0.1:${registry.port}/` },
  })

test('no advisory: passes', async () => {
  answer = () => Response.json({})
  expect(await check()).toEqual({ code: 0, output: '' })
})

test('advisories on packages of both lockfiles: fails with package, severity and address', async () => {
  const advisory = {
    id: 1,
    url: 'https://github.com/advisories/GHSA-0000-0000-0000',
    title: 'Statements are not escaped',
    severity: 'high',
    vulnerable_versions: '<4.0.0',
  }
  const known = ['postgres', 'highlight.js']
  answer = (packages) =>
    Response.json(Object.fromEntries(known.flatMap((name) => (name in packages ? [[name, [advisory]]] : []))))
  expect(await check()).toEqual({
    code: 1,
    output: known.map((name) => `${name} <4.0.0: high: Statements are not escaped (${advisory.url})\n`).join(''),
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
