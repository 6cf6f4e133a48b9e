import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../../services/testing/free-port.ts'
import { until } from '../../../../services/testing/until.ts'

const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const home = await mkdtemp(join(tmpdir(), 'webhooks-listen-'))
const requests: string[] = []
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ method, url }) {
    requests.push(`${method} ${new URL(url).pathname}`)
    return Response.json({ data: { id: 'ep_1', secret: SECRET, events: ['cases.*'] } })
  },
})
afterAll(() => Promise.all([host.stop(true), rm(home, { recursive: true })]))

/** The command, until it listens. */
async function listener() {
  requests.length = 0
  const port = freePort()
  const child = Bun.spawn([process.execPath, MAIN, 'webhooks', 'listen', '--port', String(port)], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      MARKETPLACE_URL: `http://127.0.0.1:${host.port}`,
      MARKETPLACE_TOKEN: 'token',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const heard = { said: '' }
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) heard.said += text
  })()
  await until(() => heard.said.includes('Ctrl-C ends it.'), { what: 'the listener' })
  const ended = async () => {
    const [output] = await Promise.all([child.stdout.text(), reading])
    return { code: await child.exited, output }
  }
  return { child, port, heard, ended }
}

function deliver(port: number) {
  const body = JSON.stringify({ type: 'cases.closed', data: {} })
  const at = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('msg_1', at, body),
  }
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
}

test('a request that is aborted or too large does not end the listener', async () => {
  const { child, port, heard, ended } = await listener()
  const aborted = connect(port, '127.0.0.1')
  aborted.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nhalf', () => aborted.resetAndDestroy())
  await until(() => heard.said.includes('A request that ended early was ignored.'), { what: 'the aborted request' })

  const endless = connect(port, '127.0.0.1')
  let answer = ''
  let isClosed = false
  endless.on('data', (chunk) => {
    answer += chunk
  })
  // The listener closes the connection, also by a reset.
  endless.on('error', () => undefined)
  endless.on('close', () => {
    isClosed = true
  })
  endless.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  for (let sent = 0; sent <= 16; sent++) endless.write(chunk)
  await until(() => isClosed, { what: 'the end of the endless request' })
  expect(answer).toStartWith('HTTP/1.1 413 ')

  expect((await deliver(port)).status).toBe(204)
  child.kill('SIGINT')
  expect(await ended()).toEqual({ code: 0, output: '{"type":"cases.closed","data":{}}\n' })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s deletes the endpoint', async (signal) => {
  const { child, ended } = await listener()
  child.kill(signal)
  expect((await ended()).code).toBe(0)
  expect(requests).toEqual(['POST /v2.3/webhooks/endpoints', 'DELETE /v2.3/webhooks/endpoints/ep_1'])
})
