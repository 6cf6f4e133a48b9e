import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { WebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { freePort } from '../../../services/testing/free-port.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../../services/testing/marketplace.ts'
import { until } from '../../../services/testing/until.ts'
import { ROOT } from '../../toolchain/checkout.ts'

setDefaultTimeout(60_000)
const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const org = await market.organization(['CONSUMER'])
const { client, email } = org.administrator
const reader = await org.member('Viewer')

const listeners = new Set<Bun.Subprocess>()
afterAll(() => {
  for (const listener of listeners) listener.kill('SIGKILL')
})

const endpoints = async () => (await client.get<{ data: WebhookEndpoint[] }>('/v2.3/webhooks/endpoints')).body.data

/** The command with its output so far. */
function listen(words: string[], more: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, 'scripts/commands/operator/main.ts', 'webhooks', 'listen', ...words], {
    cwd: ROOT,
    env: { ...process.env, BASE: market.url, PASSWORD: TEST_PASSWORD, ...more },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  listeners.add(child)
  const command = { child, output: '' }
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) command.output += decoder.decode(chunk, { stream: true })
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  return Object.assign(command, {
    says: (text: string) => until(() => command.output.includes(text), { what: `${text} in ${command.output}` }),
    async ended() {
      await collected
      return [await child.exited, command.output] as const
    },
  })
}

async function sendTest(): Promise<void> {
  const [endpoint] = await endpoints()
  const { status, text } = await client.post(`/flows/v1/webhooks/endpoints/${endpoint?.id}/test`, {
    type: 'cases.created',
  })
  if (status !== 200) throw new Error(text)
}

test('an event is verified and printed, a forged one is refused, and SIGINT deletes the endpoint', async () => {
  const port = String(freePort())
  const command = listen(['--email', email, '--events', 'cases.*', '--port', port])
  await command.says(`listens at http://127.0.0.1:${port}/ to cases.*`)
  expect(command.output).not.toContain('whsec_')
  await sendTest()
  await command.says('verified')
  expect(command.output).toMatch(/cases\.created {2}evt_\w+ {2}attempt 1 {2}verified\n\{\n {2}"id": "evt_/)

  const forged = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: '{"id": "evt_1", "type": "cases.closed"}',
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
  })
  expect(forged.status).toBe(400)
  await command.says('cases.closed  evt_1  attempt   NOT VERIFIED: No matching signature found')

  command.child.kill('SIGINT')
  const [code, output] = await command.ended()
  expect([code, output]).toEqual([0, expect.stringMatching(/The endpoint wh_\w+ is deleted\.\n$/)])
  expect(await endpoints()).toEqual([])
})

test('--forward-to passes the delivery on with a valid signature and answers with the same status', async () => {
  const forwarded: { headers: Headers; body: string }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      forwarded.push({ headers: request.headers, body: await request.text() })
      return new Response('not now', { status: 503 })
    },
  })
  const command = listen(['--email', email, '--port', '0', '--forward-to', `http://127.0.0.1:${server.port}/hook`])
  await command.says('listens at')
  await sendTest()
  await command.says('forwarded: 503 not now')
  const [first] = forwarded
  const headers = Object.fromEntries(first?.headers ?? [])
  const [secret = ''] = /whsec_\S+/.exec(command.output) ?? []
  expect(new Webhook(secret).verify(first?.body ?? '', headers)).toMatchObject({ type: 'cases.created' })
  expect(headers['webhook-attempt']).toBe('1')
  const { items } = (
    await client.get<{ items: { state: string; id: string }[] }>('/flows/v1/webhooks/deliveries?state=PENDING')
  ).body
  expect(items.length).toBe(1)
  command.child.kill('SIGTERM')
  expect((await command.ended())[0]).toBe(0)
  await server.stop(true)
})

test('a listener that was killed leaves an endpoint, which the next one on its port replaces', async () => {
  const port = String(freePort())
  const words = ['--email', email, '--port', port, '--events', 'cases.*', 'assignments.created']
  const killed = listen(words)
  await killed.says('listens at')
  killed.child.kill('SIGKILL')
  await killed.ended()
  const [left] = await endpoints()
  const command = listen(words)
  await command.says('listens at')
  expect(await endpoints()).toMatchObject([{ events: ['cases.*', 'assignments.created'] }])
  expect((await endpoints())[0]?.id).not.toBe(left?.id)

  const second = listen(['--email', email, '--port', '0', '--endpoint', (await endpoints())[0]?.id ?? ''])
  await second.says('to cases.*, assignments.created.')
  for (const one of [second, command]) {
    one.child.kill('SIGINT')
    await one.ended()
  }
  expect(await endpoints()).toEqual([])
})

test.each([
  [
    'a port in use',
    () => ['--email', email, '--port', new URL(market.url).port],
    /is in use: choose another with --port/,
  ],
  ['a missing permission', () => ['--email', reader.email, '--port', '0'], /answered 403: .*webhook:manage/],
  ['an unknown event', () => ['--email', email, '--port', '0', '--events', 'cases.exploded'], /answered 422/],
  ['an unknown endpoint', () => ['--email', email, '--port', '0', '--endpoint', 'wh_1'], /answered 404/],
  ['a bad port', () => ['--email', email, '--port', '99999'], /is not a port/],
  ['a bad address', () => ['--email', email, '--port', '0', '--forward-to', 'localhost'], /is not an address/],
])('%s is refused in a sentence, and no endpoint is left', async (_, wordsOf, sentence) => {
  const [code, output] = await listen(wordsOf()).ended()
  expect([code, output]).toEqual([1, expect.stringMatching(sentence)])
  expect(output).not.toContain('    at ')
  expect(await endpoints()).toEqual([])
})

test('without an account it asks for one', async () => {
  const [code, output] = await listen([]).ended()
  expect([code, output]).toEqual([2, expect.stringContaining("Required option '--email <address>'")])
})
