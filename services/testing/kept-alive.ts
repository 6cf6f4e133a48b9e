import { connect, type Socket } from 'node:net'
import { isComplete, parse, type RawAnswer } from './socket.ts'

/** A client that sends its requests one after the other over one connection, while the server keeps that open. */
export class KeptAliveClient {
  readonly #portOf: () => number
  readonly #host: string
  #socket: Promise<Socket> | undefined

  /** `portOf` names the server of the next connection. */
  constructor(portOf: () => number, host = '127.0.0.1') {
    this.#portOf = portOf
    this.#host = host
  }

  get isConnected(): boolean {
    return this.#socket !== undefined
  }

  /** Throws if the connection fails or ends before the whole answer. */
  async send(request: string): Promise<RawAnswer> {
    this.#socket ??= this.#open()
    const socket = await this.#socket
    const answer = await exchange(socket, request)
    if (answer.headers.connection === 'close') this.close()
    return answer
  }

  close(): void {
    this.#socket?.then(
      (socket) => socket.destroy(),
      () => {},
    )
    this.#socket = undefined
  }

  #open(): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const socket = connect(this.#portOf(), this.#host, () => resolve(socket))
    socket.on('error', reject)
    socket.on('close', () => {
      if (this.#socket === promise) this.#socket = undefined
    })
    return promise
  }
}

/** Sends a request over an open connection, and reads the answer. */
function exchange(socket: Socket, request: string): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  let received = ''
  const onData = (bytes: Buffer) => {
    received += bytes.toString('latin1')
    if (isComplete(received)) resolve(parse(received))
  }
  const onError = (error: NodeJS.ErrnoException) => reject(new Error(error.code))
  const onClose = () => reject(new Error('the connection was closed before the answer'))
  socket.on('data', onData).on('error', onError).on('close', onClose)
  socket.write(request)
  return promise.finally(() => socket.off('data', onData).off('error', onError).off('close', onClose))
}

/** The bytes of a request with a JSON body. */
export function jsonRequest(method: string, path: string, token: string | undefined, body: unknown): string {
  const text = JSON.stringify(body)
  const fields = [
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return `${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${text}`
}
