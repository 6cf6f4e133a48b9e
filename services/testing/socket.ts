/** An HTTP response read from a raw socket. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

const DEADLINE_MS = 5000
/** Longer than a body may take and a command may wait. */
const HELD_DEADLINE_MS = 20_000

interface SendOptions {
  closeAfterSending?: boolean
  deadlineMs?: number
}

/**
 * Sends bytes unchanged and reads one response. Status 0: the peer closed the connection or sent nothing until the
 * deadline. With `closeAfterSending` the client closes its side after sending.
 */
export async function sendRaw(
  port: number,
  request: string | Uint8Array,
  { closeAfterSending = false, deadlineMs = DEADLINE_MS }: SendOptions = {},
): Promise<RawAnswer> {
  const { socket, answer } = await openSocket(port, request, deadlineMs)
  if (closeAfterSending) socket.end()
  return answer
}

/** Sends bytes unchanged and returns the status of each response until the peer closes the connection. */
export async function statusesUntilClosed(port: number, request: string): Promise<number[]> {
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('the connection stays open')), DEADLINE_MS)
  let received = ''
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => void socket.write(request),
      data: (_, bytes) => {
        received += bytes.toString('latin1')
      },
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  })
  await closed
  clearTimeout(timer)
  return Array.from(received.matchAll(/(?:^|\r\n)HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
}

interface HeldRequest {
  /** Sends the rest of the body and reads the response. */
  finish(): Promise<RawAnswer>
}

/** Sends a request without the last byte of its body. */
export async function holdRequest(
  port: number,
  { target, headers, body }: { target: string; headers: Record<string, string>; body: string },
): Promise<HeldRequest> {
  const bytes = Buffer.from(body)
  const sent = { host: '127.0.0.1', 'content-type': 'application/json', ...headers }
  const fields = Object.entries({ ...sent, 'content-length': bytes.byteLength }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = Buffer.from(`${target} HTTP/1.1\r\n${fields.join('\r\n')}${END_OF_HEAD}`)
  const { socket, answer } = await openSocket(port, Buffer.concat([head, bytes.subarray(0, -1)]), HELD_DEADLINE_MS)
  return {
    finish() {
      socket.write(bytes.subarray(-1))
      return answer
    },
  }
}

async function openSocket(port: number, first: string | Uint8Array, deadlineMs: number) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<RawAnswer>()
  let received = ''
  const finish = () => {
    clearTimeout(timer)
    resolve(parse(received))
    socket.then((open) => open.end(), reject)
  }
  const timer = setTimeout(finish, deadlineMs)
  const socket = Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (open) => {
        open.write(first)
      },
      data: (_, bytes) => {
        received += bytes.toString('latin1')
        if (isComplete(received)) finish()
      },
      close: finish,
      error: (_, error) => reject(error),
    },
  })
  return { socket: await socket, answer }
}

const END_OF_HEAD = '\r\n\r\n'
const isChunked = (head: string) => /\r\ntransfer-encoding: chunked/i.test(head)

/** Whether the bytes received so far, as Latin-1, are a whole response. */
export function isComplete(text: string): boolean {
  const end = text.indexOf(END_OF_HEAD)
  if (end === -1) return false
  const head = text.slice(0, end)
  const body = text.slice(end + END_OF_HEAD.length)
  if (isChunked(head)) return readChunks(body).ended
  return body.length >= Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
}

/** The content of the chunks received so far. */
function readChunks(body: string): { text: string; ended: boolean } {
  let text = ''
  let at = 0
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(body.slice(at, at + 16))
    if (!size?.[1]) return { text, ended: false }
    const length = Number.parseInt(size[1], 16)
    at += size[0].length
    text += body.slice(at, at + length)
    at += length + 2
    if (at > body.length) return { text, ended: false }
    if (length === 0) return { text, ended: true }
  }
}

/** The response in these bytes, as Latin-1. */
export function parse(text: string): RawAnswer {
  const end = text.indexOf(END_OF_HEAD)
  const head = end === -1 ? text : text.slice(0, end)
  const body = end === -1 ? '' : text.slice(end + END_OF_HEAD.length)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return {
    status: Number(first.split(' ')[1] ?? 0),
    headers,
    body: isChunked(head) ? readChunks(body).text : body,
  }
}
