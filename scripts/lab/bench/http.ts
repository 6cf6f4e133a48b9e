import type { ApiClient } from '../../../services/testing/client.ts'
import { type Run, type Side, sideOf } from './compare.ts'

const CONNECTIONS = [4, 8, 16, 32, 64]
/** Connections open, statements are prepared and code is compiled before the measurement. */
const WARM_UP_MS = 500
const MAX_ANSWER_MS = 30_000

export interface RequestText {
  method?: string
  path: string
  token?: string | undefined
  /** JSON */
  body?: string
}

/** A request in its wire format. */
export function bytesOf({ method = 'GET', path, token, body = '' }: RequestText): Uint8Array {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost']
  if (token) lines.push(`Authorization: Bearer ${token}`)
  if (body) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** One request, sent again and again, for each number of connections. They are shared among replicas. */
export function httpSide(
  ports: number | readonly number[],
  request: RequestText,
  counts: readonly number[] = CONNECTIONS,
): Side {
  const bytes = bytesOf(request)
  return sideOf('connections', counts, (connections): Run => {
    const clients = Array.from({ length: connections }, () => ({ next: () => bytes }))
    return (seconds) => answersPerSecond(ports, seconds, clients)
  })
}

/** A request of a signed-in client, to the service of its URL or to replicas of it. */
export const clientSide = (
  client: ApiClient,
  request: RequestText,
  counts?: readonly number[],
  ports: number | readonly number[] = Number(new URL(client.url).port),
): Side => httpSide(ports, { ...request, token: client.accessToken }, counts)

/** A client on a connection of its own. */
interface Client {
  /** The next request as bytes. */
  next(): Uint8Array
  answered?(body: Buffer): void
}

/** Sends the requests of some clients; returns the answers in a second. */
export async function answersPerSecond(
  ports: number | readonly number[],
  seconds: number,
  clients: readonly Client[],
): Promise<number> {
  const load = { answers: 0, running: true }
  const portOf = (at: number) => (typeof ports === 'number' ? ports : (ports[at % ports.length] as number))
  const conversations = Promise.all(clients.map((client, at) => converse(portOf(at), client, load)))
  const measure = async () => {
    await Bun.sleep(WARM_UP_MS)
    const [before, startedMs] = [load.answers, performance.now()]
    await Bun.sleep(seconds * 1000)
    load.running = false
    return ((load.answers - before) / (performance.now() - startedMs)) * 1000
  }
  const measured = measure()
  const late = Bun.sleep(seconds * 1000 + MAX_ANSWER_MS).then(() => Promise.reject(new Error('a request hangs')))
  // A refused request ends the measurement at once.
  return Promise.race([conversations.then(() => measured), late]).finally(() => {
    load.running = false
  })
}

/**
 * Speaks HTTP/1.1 with keep-alive, one request at a time, as cheaply as wrk: it reads only the status and the length of
 * an answer. Resolves when the load has ended; rejects on an answer that is no success.
 */
async function converse(port: number, { next, answered }: Client, load: { answers: number; running: boolean }) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let begun: Buffer | undefined
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => void socket.write(next()),
      data(socket, chunk) {
        try {
          const bytes = begun ? Buffer.concat([begun, chunk]) : chunk
          const body = completeBody(bytes)
          // Bun reuses the memory of the chunk.
          begun = body ? undefined : Buffer.from(bytes)
          if (!body) return
          load.answers++
          answered?.(body)
          if (load.running) socket.write(next())
          else resolve()
        } catch (error) {
          reject(error)
        }
      },
      close: () => reject(new Error('the server closed the connection')),
      error: (_, error) => reject(error),
    },
  })
  await promise.finally(() => socket.end())
}

const HEADERS_END = Buffer.from('\r\n\r\n')
const STATUS_AT = 'HTTP/1.1 '.length
const LENGTH_HEADER = /^content-length: (\d+)/im

/** The body of a successful answer; undefined until all of it has arrived. */
function completeBody(bytes: Buffer): Buffer | undefined {
  const headersEnd = bytes.indexOf(HEADERS_END)
  if (headersEnd < 0) return undefined
  if (bytes[STATUS_AT] !== '2'.charCodeAt(0)) throw new Error(bytes.toString('utf8', 0, headersEnd + 300))
  const length = LENGTH_HEADER.exec(bytes.toString('latin1', 0, headersEnd))?.[1]
  if (length === undefined) throw new Error('an answer without a Content-Length')
  const bodyAt = headersEnd + HEADERS_END.length
  return bytes.length < bodyAt + Number(length) ? undefined : bytes.subarray(bodyAt)
}
