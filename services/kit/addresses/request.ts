import { isPublicAddress } from './judge.ts'
import { type Resolve, resolveBySystem } from './resolve.ts'
import { type AddressPolicy, type Destination, destinationOf } from './url.ts'

/** The URL, or one of the addresses of its name, is not one that requests are sent to. */
export class AddressRefused extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'AddressRefused'
  }
}

/** Nobody could be asked: no address, no connection, no proof of who answers. */
export class Unreachable extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause })
    this.name = 'Unreachable'
  }
}

export interface GuardOptions extends AddressPolicy {
  resolve?: Resolve
  /** Certificates to believe instead of those of the system, as PEM. */
  ca?: string
}

export interface GuardedRequest {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  /** Ends the whole exchange, its body included. */
  signal: AbortSignal
}

/** Of a name with many addresses, no more are tried when nobody listens. */
const MAX_ADDRESSES_TRIED = 3
const RESOLVE_TIMEOUT_MS = 5_000

/**
 * Sends requests to addresses that strangers gave us. All addresses of a name are judged, one bad one refuses, and the
 * request goes to a judged address itself, with the name in `Host` and in the TLS handshake: what a resolver answers
 * after that does not matter. Redirects are answers like any other; the body is neither read nor unpacked.
 */
export class AddressGuard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** What is wrong with a URL before anybody is asked about its name; undefined for nothing. */
  problemOf(url: string): string | undefined {
    const destination = destinationOf(url, this.#options)
    return 'problem' in destination ? destination.problem : undefined
  }

  async send(request: GuardedRequest): Promise<Response> {
    const destination = destinationOf(request.url, this.#options)
    if ('problem' in destination) throw new AddressRefused(destination.problem)
    const addresses = await this.#addressesOf(destination, request.signal)
    let failure: unknown
    for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED)) {
      try {
        return await this.#sendTo(address, destination, request)
      } catch (error) {
        request.signal.throwIfAborted()
        failure = error
        // Whoever was reached and then failed may have done what was asked: it is not asked of another.
        if (!NOBODY_THERE.has(codeOf(error))) break
      }
    }
    throw new Unreachable(codeOf(failure), failure)
  }

  async #addressesOf({ host, literal }: Destination, signal: AbortSignal): Promise<readonly string[]> {
    if (literal !== undefined) return [literal]
    const { resolve = resolveBySystem, allowPrivate } = this.#options
    const patience = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_TIMEOUT_MS)])
    const addresses = await unlessAborted(resolve(host), patience).catch((error: unknown) => {
      signal.throwIfAborted()
      throw new Unreachable('the name has no address', error)
    })
    if (addresses.length === 0) throw new Unreachable('the name has no address')
    if (!allowPrivate && !addresses.every(isPublicAddress)) throw new AddressRefused('must lead to a public address')
    return addresses
  }

  #sendTo(
    address: string,
    { url, host, literal }: Destination,
    { method, headers, body, signal }: GuardedRequest,
  ): Promise<Response> {
    const pinned = new URL(url)
    pinned.hostname = address.includes(':') ? `[${address}]` : address
    const { ca } = this.#options
    return fetch(pinned, {
      method,
      headers: { ...headers, host: literal === undefined ? `${host}${url.port && `:${url.port}`}` : url.host },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      decompress: false,
      // A connection that was proved for one name must not carry a request for another at the same address.
      keepalive: false,
      signal,
      tls: { ...(literal === undefined ? { serverName: host } : {}), ...(ca === undefined ? {} : { ca }) },
    })
  }
}

const NOBODY_THERE = new Set(['ConnectionRefused', 'ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'FailedToOpenSocket'])

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? 'no answer')

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
