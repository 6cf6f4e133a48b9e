/** The behaviour of a client on one connection. */
export interface Conversation {
  /** The next request as bytes; undefined ends the connection. */
  next(): Uint8Array | undefined
  answered(body: Buffer): void
}

const HEADERS_END = Buffer.from('\r\n\r\n')
const STATUS_AT = 'HTTP/1.1 '.length
/** Bun and Node spell the header differently. */
const LENGTH_HEADERS = [Buffer.from('Content-Length: '), Buffer.from('content-length: ')]

/**
 * Speaks HTTP/1.1 with keep-alive, one request at a time, as cheaply as wrk: it reads only the status and the length of an
 * answer. Resolves at the end; rejects on an answer that is no success.
 */
export function converse(port: number, { next, answered }: Conversation): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let begun: Buffer | undefined
  const sendNext = (socket: Bun.Socket) => {
    const request = next()
    if (request) return void socket.write(request)
    resolve()
    socket.end()
  }
  const receive = (socket: Bun.Socket, chunk: Buffer) => {
    const bytes = begun ? Buffer.concat([begun, chunk]) : chunk
    const body = completeBody(bytes)
    // Bun reuses the memory of the chunk.
    begun = body ? undefined : Buffer.from(bytes)
    if (!body) return
    answered(body)
    sendNext(socket)
  }
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: sendNext,
      data(socket, chunk) {
        try {
          receive(socket, chunk)
        } catch (error) {
          reject(error)
          socket.end()
        }
      },
      close: () => reject(new Error('the server closed the connection')),
      error: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise
}

/** The body of a successful answer; undefined until all of it has arrived. */
function completeBody(bytes: Buffer): Buffer | undefined {
  const headersEnd = bytes.indexOf(HEADERS_END)
  if (headersEnd < 0) return undefined
  if (bytes[STATUS_AT] !== '2'.charCodeAt(0)) throw new Error(bytes.toString('utf8', 0, headersEnd + 300))
  const header = LENGTH_HEADERS.map((name) => bytes.indexOf(name)).find((at) => at >= 0 && at < headersEnd)
  if (header === undefined) throw new Error('an answer without a Content-Length')
  const length = Number.parseInt(bytes.toString('latin1', header + 'content-length: '.length, headersEnd), 10)
  const bodyAt = headersEnd + HEADERS_END.length
  return bytes.length < bodyAt + length ? undefined : bytes.subarray(bodyAt)
}

export interface RequestText {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/** A request in its wire format. */
export function bytesOf({ method = 'GET', path, headers = {}, body = '' }: RequestText): Uint8Array {
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: 'localhost', ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`)
}
