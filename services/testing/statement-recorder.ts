import { Socket } from 'node:net'

/** Message types of the Postgres protocol that a client sends. */
const [PARSE, BIND, EXECUTE, QUERY, CLOSE] = ['P', 'B', 'E', 'Q', 'C'].map((letter) => letter.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]
/** Version 3.0, after the length of the startup message. */
const PROTOCOL = 196_608

/**
 * Records every statement that this process sends to a database, by the name of the application. The sockets of the
 * process are read where they are written, because a proxy costs two more writes for each of them.
 */
export class StatementRecorder {
  readonly #database: string
  readonly #readers = new WeakMap<Socket, FrontendReader | undefined>()
  readonly #executed = new Map<string, string[]>()
  readonly #write = Socket.prototype.write

  constructor(database: string) {
    this.#database = database
    Socket.prototype.write = new Proxy(this.#write, {
      apply: (write, socket: Socket, words: unknown[]) => {
        if (words[0] instanceof Uint8Array)
          this.#read(socket, Buffer.from(words[0].buffer, words[0].byteOffset, words[0].length))
        return Reflect.apply(write, socket, words)
      },
    })
  }

  /** The statements of an application since the last call, in order. */
  take(application: string): string[] {
    const executed = this.#executed.get(application) ?? []
    this.#executed.set(application, [])
    return executed
  }

  stop(): void {
    Socket.prototype.write = this.#write
  }

  #read(socket: Socket, bytes: Buffer): void {
    if (!this.#readers.has(socket)) this.#readers.set(socket, this.#readerFor(bytes))
    else this.#readers.get(socket)?.read(bytes)
  }

  /** The reader of a connection that begins with these bytes, if it is to the database. */
  #readerFor(bytes: Buffer): FrontendReader | undefined {
    if (bytes.length < 8 || bytes.readInt32BE(4) !== PROTOCOL) return
    const words = bytes.toString('utf8', 8).split('\0')
    const textAfter = (name: string) => words[words.indexOf(name) + 1] ?? ''
    if (textAfter('database') !== this.#database) return
    const application = textAfter('application_name')
    return new FrontendReader((statement) => {
      const known = this.#executed.get(application)
      if (known) known.push(statement)
      else this.#executed.set(application, [statement])
    })
  }
}

/** Parses the messages of a Postgres client on one connection after the startup message. */
class FrontendReader {
  readonly #onExecute: (statement: string) => void
  readonly #prepared = new Map<string, string>()
  readonly #portals = new Map<string, string>()
  #rest: Buffer = Buffer.alloc(0)

  constructor(onExecute: (statement: string) => void) {
    this.#onExecute = onExecute
  }

  read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 5) {
      const end = 1 + this.#rest.readInt32BE(1)
      if (this.#rest.length < end) return
      this.#message(this.#rest[0] as number, this.#rest.subarray(5, end))
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
