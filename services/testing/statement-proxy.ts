import type { Socket, TCPSocketListener } from 'bun'

interface Side {
  peer: Socket<Side> | undefined
  /** Bytes that the peer has not accepted yet. */
  waiting: Buffer[]
}

/** Message types of the Postgres protocol that a client sends. */
const [PARSE, BIND, EXECUTE, QUERY, CLOSE] = ['P', 'B', 'E', 'Q', 'C'].map((letter) => letter.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]

/** A TCP proxy between a service and Postgres that records every executed statement. */
export class StatementProxy {
  /** The database URL through the proxy. */
  readonly url: string
  readonly #server: TCPSocketListener<Side>
  #executed: string[] = []

  constructor(targetUrl: string) {
    const { hostname, port } = new URL(targetUrl)
    this.#server = Bun.listen<Side>({
      hostname: '127.0.0.1',
      port: 0,
      socket: this.#client(hostname, Number(port)),
    })
    const url = new URL(targetUrl)
    url.hostname = '127.0.0.1'
    url.port = String(this.#server.port)
    this.url = url.href
  }

  /** The statements since the last call, in order. */
  take(): string[] {
    const executed = this.#executed
    this.#executed = []
    return executed
  }

  close(): void {
    this.#server.stop(true)
  }

  #client(hostname: string, port: number) {
    const readers = new WeakMap<Socket<Side>, FrontendReader>()
    return {
      open: (client: Socket<Side>) => {
        client.data = { peer: undefined, waiting: [] }
        readers.set(client, new FrontendReader((statement) => this.#executed.push(statement)))
        void dial(client, hostname, port)
      },
      data: (client: Socket<Side>, bytes: Buffer) => {
        readers.get(client)?.read(bytes)
        forward(client.data, bytes)
      },
      drain: flush,
      close: (client: Socket<Side>) => void client.data.peer?.end(),
    }
  }
}

async function dial(client: Socket<Side>, hostname: string, port: number): Promise<void> {
  const server = await Bun.connect<Side>({
    hostname,
    port,
    data: { peer: client, waiting: [] },
    socket: {
      data: (own, bytes) => forward(own.data, bytes),
      drain: flush,
      close: () => void client.end(),
    },
  })
  client.data.peer = server
  flush(server)
}

/** Forwards bytes to the peer. Bytes that the peer does not accept wait in the sender's queue. */
function forward(from: Side, bytes: Buffer): void {
  from.waiting.push(Buffer.from(bytes))
  if (from.peer) send(from.peer, from.waiting)
}

/** Sends waiting bytes when a side becomes writable. */
function flush(side: Socket<Side>): void {
  const waiting = side.data.peer?.data.waiting
  if (waiting) send(side, waiting)
}

function send(to: Socket<Side>, waiting: Buffer[]): void {
  for (let next = waiting[0]; next; next = waiting[0]) {
    const written = to.write(next)
    if (written < next.length) {
      waiting[0] = next.subarray(Math.max(0, written))
      return
    }
    waiting.shift()
  }
}

/** Parses the messages of a Postgres client on one connection. */
class FrontendReader {
  readonly #onExecute: (statement: string) => void
  readonly #prepared = new Map<string, string>()
  readonly #portals = new Map<string, string>()
  #rest: Buffer = Buffer.alloc(0)
  /** The startup message, which comes first, has no type byte. */
  #started = false

  constructor(onExecute: (statement: string) => void) {
    this.#onExecute = onExecute
  }

  read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes])
    for (;;) {
      const head = this.#started ? 1 : 0
      if (this.#rest.length < head + 4) return
      const end = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < end) return
      if (this.#started) this.#message(this.#rest[0] as number, this.#rest.subarray(5, end))
      this.#started = true
      this.#rest = this.#rest.subarray(end)
    }
  }

  #message(type: number, body: Buffer): void {
    const [first, rest] = textAt(body, 0)
    // Only the first two texts are read: the parameters of a statement come after them.
    const second = type === PARSE || type === BIND ? textAt(body, rest)[0] : ''
    if (type === PARSE) this.#prepared.set(first, second)
    else if (type === BIND) this.#portals.set(first, this.#prepared.get(second) ?? second)
    else if (type === EXECUTE) this.#onExecute(this.#portals.get(first) ?? first)
    else if (type === QUERY) this.#onExecute(first)
    else if (type === CLOSE && first.startsWith('S')) this.#prepared.delete(first.slice(1))
  }
}

/** The text that ends at the next zero byte, and the position after it. */
function textAt(body: Buffer, start: number): [text: string, rest: number] {
  const end = body.indexOf(0, start)
  return [body.toString('utf8', start, end), end + 1]
}
