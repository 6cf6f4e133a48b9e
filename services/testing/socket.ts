/** An HTTP response read from a raw socket. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

const DEADLINE_MS = 5000

/**
 * Sends bytes unchanged and reads one response. Status 0: the peer closed the connection or sent nothing until the
 * deadline. With `closeAfterSending` the client closes its side after sending.
 */
export function sendRaw(
  port: number,
  request: string | Uint8Array,
  { closeAfterSending = false, deadlineMs = DEADLINE_MS }: { closeAfterSending?: boolean; deadlineMs?: number } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = ''
    const timer = setTimeout(() => finish(), deadlineMs)
    const finish = () => {
      clearTimeout(timer)
      socket.then((open) => open.end())
      resolve(parse(received))
    }
    const socket = Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (open) => {
          open.write(request)
          if (closeAfterSending) open.end()
        },
        data: (_, bytes) => {
          received += bytes.toString('latin1')
          if (isComplete(received)) finish()
        },
        close: finish,
        error: (_, error) => reject(error),
      },
    })
    socket.catch(reject)
  })
}

const END_OF_HEAD = '\r\n\r\n'
const isChunked = (head: string) => /\r\ntransfer-encoding: chunked/i.test(head)

function isComplete(text: string): boolean {
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

function parse(text: string): RawAnswer {
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
