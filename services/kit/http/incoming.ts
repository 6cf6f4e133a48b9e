import type { Exchange } from './call.ts'
import { clientAddress } from './client-address.ts'

/** Tells whom a request's socket is connected to: asked only where somebody wants to know, for it costs a tenth of a read. */
export type SocketAddress = (request: Request) => string | undefined

/** What the addresses of clients are made of. */
export interface Surroundings {
  trustedProxies: number
  socketAddress: SocketAddress
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** A request as it comes in. */
export class Incoming implements Exchange {
  readonly request: Request
  readonly requestId: string
  readonly #surroundings: Surroundings
  #clientIp: string | undefined
  #asked = false

  constructor(request: Request, surroundings: Surroundings) {
    this.request = request
    this.#surroundings = surroundings
    const given = request.headers.get('x-request-id')
    this.requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  }

  get clientIp(): string | undefined {
    if (this.#asked) return this.#clientIp
    const { request } = this
    const { socketAddress, trustedProxies } = this.#surroundings
    this.#clientIp = clientAddress(socketAddress(request), request.headers.get('x-forwarded-for'), trustedProxies)
    this.#asked = true
    return this.#clientIp
  }
}
