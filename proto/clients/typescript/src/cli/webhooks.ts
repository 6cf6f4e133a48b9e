import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../webhooks.ts'
import { CliError, explain } from './failure.ts'
import type { Session } from './session.ts'
import { jsonOf, printable } from './terminal.ts'

interface ListenOptions {
  events: string[]
  port: number
  publicUrl?: string
  forwardTo?: string
}

interface Endpoint {
  webhookId: string
  secret: string
  events: string[]
}

const PATH = '/v2.3/webhooks/endpoints'
const CHECK_MS = 5000
const FORWARD_TIMEOUT_MS = 10_000
/** Larger than any event. */
const MAX_BYTES = 1024 * 1024
const REQUEST_TIMEOUT_MS = 30_000

/** Prints each event as a line of JSON, through an endpoint that exists as long as the command runs. */
export async function listen(session: Session, { events, port, publicUrl, forwardTo }: ListenOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  let secret = ''
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => void receive(request, response, { secret, forwardTo }),
  )
  await started(server, port)
  const url = publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    const endpoint = await created(session, { url, events, description: 'marketplace webhooks listen' })
    secret = endpoint.secret
    say(`Listening at ${url} to ${endpoint.events.join(', ')}. Ctrl-C ends it.`)
    if (forwardTo !== undefined) say(`The secret with which ${forwardTo} verifies: ${secret}`)
    const checking = checkRepeatedly(session, endpoint.webhookId)
    await ended
    clearInterval(checking)
    await session.send(new Request(`${session.url}${PATH}/${endpoint.webhookId}`, { method: 'DELETE' }))
    say(`The endpoint ${endpoint.webhookId} is deleted.`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Says once when the marketplace does not answer, and when it does again. */
function checkRepeatedly(session: Session, id: string) {
  let isLost = false
  return setInterval(async () => {
    try {
      const response = await session.send(new Request(`${session.url}${PATH}/${id}`))
      const { data } = (await response.json()) as { data: { status?: string } }
      if (isLost) say(`Connected again; the endpoint is ${data.status ?? 'active'}. Events of the meantime arrive now.`)
      isLost = false
    } catch (error) {
      if (!isLost) say(`The connection is lost: ${explain(error).text}`)
      isLost = true
    }
  }, CHECK_MS)
}

async function created(
  session: Session,
  body: { url: string; events: string[]; description: string },
): Promise<Endpoint> {
  const headers = { 'content-type': 'application/json' }
  const response = await session.send(
    new Request(`${session.url}${PATH}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
  const { data } = (await response.json()) as { data: { id: string; secret: string; events: string[] } }
  return { webhookId: data.id, secret: data.secret, events: data.events }
}

const TOO_LARGE = Symbol('too large')

interface Receiving {
  secret: string
  forwardTo: string | undefined
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, forwardTo }: Receiving,
): Promise<void> {
  const body = await bodyOf(request).catch(() => undefined)
  if (body === undefined) return say('A request that ended early was ignored.')
  if (body === TOO_LARGE) {
    // The rest of the body is not read.
    response.writeHead(413, { connection: 'close' }).end(() => request.destroy())
    return say('A request that is larger than any delivery was refused.')
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  try {
    verifyWebhook(secret, headers, body)
  } catch {
    response.writeHead(400).end()
    return say('A delivery without a valid signature was refused.')
  }
  process.stdout.write(`${jsonOf(JSON.parse(body))}\n`)
  const status = forwardTo === undefined ? 204 : await forward(forwardTo, headers, body)
  response.writeHead(status).end()
}

/** Rejects when the request is broken off. */
function bodyOf(request: IncomingMessage): Promise<string | typeof TOO_LARGE> {
  const chunks: Uint8Array[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= MAX_BYTES) return chunks.push(chunk)
      request.pause()
      resolve(TOO_LARGE)
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
    request.on('close', () => reject(new Error('The request ended early.')))
  })
}

async function forward(url: string, { host: _, connection: _c, ...headers }: Record<string, string>, body: string) {
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS)
    const { status } = await fetch(url, { method: 'POST', headers, body, signal })
    return status
  } catch (error) {
    say(`${url} did not answer: ${(error as Error).message}`)
    return 502
  }
}

function started(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      reject(error.code === 'EADDRINUSE' ? new CliError(`Port ${port} is in use: choose another with --port.`) : error)
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}

const say = (text: string) => void process.stderr.write(`${printable(text)}\n`)
