import type { Socket } from 'bun'
import { isComplete, parse, type RawAnswer } from '../socket.ts'

interface Connection {
  socket: Socket<undefined>
  received: string
  pending: PromiseWithResolvers<RawAnswer> | undefined
}

/**
 * Keep-alive connections to one replica. A request is sent once: `fetch` and `node:http` of Bun would repeat it on a
 * new connection if the replica closed the old one, which hides a lost request.
 */
export class Upstream {
  readonly #hostname: string
  readonly #port: number
  readonly #idle: Connection[] = []
  readonly #open = new Set<Connection>()

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#hostname = hostname
    this.#port = Number(port)
  }

  /** Rejects if the replica closes the connection before its whole answer. */
  async send(bytes: Uint8Array): Promise<RawAnswer> {
    const connection = this.#idle.pop() ?? (await this.#connect())
    const pending = Promise.withResolvers<RawAnswer>()
    connection.pending = pending
    connection.received = ''
    write(connection.socket, bytes)
    const answer = await pending.promise
    connection.pending = undefined
    if (answer.headers.connection?.toLowerCase() === 'close') connection.socket.end()
    else if (this.#open.has(connection)) this.#idle.push(connection)
    return answer
  }

  close(): void {
    for (const { socket } of this.#open) socket.end()
  }

  async #connect(): Promise<Connection> {
    let connection: Connection | undefined
    const socket = await Bun.connect<undefined>({
      hostname: this.#hostname,
      port: this.#port,
      socket: {
        drain: (open) => flush(open),
        data: (_, bytes) => {
          if (!connection) return
          connection.received += bytes.toString('latin1')
          if (isComplete(connection.received)) connection.pending?.resolve(parse(connection.received))
        },
        close: () => connection && this.#closed(connection),
      },
    })
    connection = { socket, received: '', pending: undefined }
    this.#open.add(connection)
    return connection
  }

  #closed(connection: Connection): void {
    this.#open.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    connection.pending?.reject(new Error('the replica closed the connection without an answer'))
  }
}

const unsent = new WeakMap<Socket<undefined>, Uint8Array>()

/** Keeps the bytes that the socket does not take immediately. */
function write(socket: Socket<undefined>, bytes: Uint8Array): void {
  const taken = socket.write(bytes)
  if (taken < bytes.byteLength) unsent.set(socket, bytes.subarray(Math.max(taken, 0)))
}

function flush(socket: Socket<undefined>): void {
  const rest = unsent.get(socket)
  unsent.delete(socket)
  if (rest) write(socket, rest)
}
