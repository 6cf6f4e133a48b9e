/** What came back on a socket: as much of HTTP as a test of hostile requests needs. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

const DEADLINE_MS = 5000

/**
 * Sends bytes as they are, which no HTTP client would, and reads one answer. Status 0 when the peer closed without one,
 * or said nothing until the deadline.
 * With `hangUp` the sender leaves at once.
 */
export function sendRaw(
  port: number,
  request: string | Uint8Array,
  { hangUp = false, deadlineMs = DEADLINE_MS }: { hangUp?: boolean; deadlineMs?: number } = {},
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
          if (hangUp) open.end()
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

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  return text.length - end - 4 >= Number(length ?? 0)
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') }
}
