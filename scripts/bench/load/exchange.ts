/** The behaviour of a client on one connection. */
export interface Talk {
  /** The next request as bytes; undefined ends the connection. */
  request(): Uint8Array | undefined
  /** Receives the body of each answer. */
  answered?(body: string): void
}

interface Progress {
  /** Missing bytes of the answer. */
  left: number
  /** The beginning of an answer with incomplete headers or, if it is needed, an incomplete body. */
  begun: Buffer | undefined
}

const HEADERS_END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('content-length: ')
const [CR, ZERO, SPACE_IN_STATUS_LINE] = [0x0d, 0x30, 8]

/**
 * Speaks HTTP/1.1 with keep-alive, one request at a time, as cheaply as wrk: it reads only the status and the length of an
 * answer. Resolves at the end; rejects on an answer that is no success.
 */
export function converse(port: number, { request, answered }: Talk): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const progress: Progress = { left: 0, begun: undefined }
  const fail = (reason: string) => reject(new Error(reason))
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: sendNext,
      data(socket, chunk) {
        try {
          if (isComplete(chunk)) sendNext(socket)
        } catch (error) {
          reject(error)
          socket.end()
        }
      },
      close: () => fail('the server closed the connection'),
      error: (_, error) => fail(error.message),
    },
  }).catch(reject)
  return promise

  function sendNext(socket: Bun.Socket): void {
    const bytes = request()
    if (bytes !== undefined) socket.write(bytes)
    else {
      resolve()
      socket.end()
    }
  }

  function isComplete(chunk: Buffer): boolean {
    if (progress.left > 0 && !answered) {
      progress.left -= chunk.length
      return progress.left === 0
    }
    const bytes = progress.begun ? Buffer.concat([progress.begun, chunk]) : chunk
    const bodyAt = bytes.indexOf(HEADERS_END) + HEADERS_END.length
    const left = bodyAt < HEADERS_END.length ? 1 : bodyAt + lengthOf(bytes, bodyAt) - bytes.length
    const goesOn = left > 0 && (answered !== undefined || bodyAt < HEADERS_END.length)
    // Bun reuses the memory of the chunk.
    progress.begun = goesOn ? Buffer.from(bytes) : undefined
    progress.left = left
    if (left === 0) answered?.(bytes.toString('utf8', bodyAt))
    return left === 0
  }
}

/** The length of a successful answer's body. Bun and Node spell the header differently. */
function lengthOf(bytes: Buffer, headersEnd: number): number {
  if (bytes[SPACE_IN_STATUS_LINE + 1] !== ZERO + 2) throw new Error(bytes.toString('utf8', 0, headersEnd + 300))
  let at = bytes.indexOf('Content-Length: ')
  if (at === -1 || at > headersEnd) at = bytes.indexOf(LENGTH)
  if (at === -1 || at > headersEnd) throw new Error('an answer without a Content-Length')
  let length = 0
  for (let digit = at + LENGTH.length; bytes[digit] !== CR; digit++) length = length * 10 + (bytes[digit] ?? 0) - ZERO
  return length
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
