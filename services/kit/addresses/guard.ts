import { lookup } from 'node:dns/promises'
import { type AddressPolicy, type Destination, destinationOf } from './destination.ts'
import { isPublicAddress } from './public-address.ts'

/** The URL, or an address of its host, is not public. */
export class AddressRefused extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'AddressRefused'
  }
}

/** No response: the name has no address, the connection failed, or the certificate is not valid. */
export class Unreachable extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause })
    this.name = 'Unreachable'
  }
}

/** All IPv4 and IPv6 addresses of a name. Rejects if there are none. */
type Resolve = (name: string) => Promise<readonly string[]>

const resolveBySystem: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address)

export interface GuardOptions extends AddressPolicy {
  resolve?: Resolve
  /** Certificate authorities instead of those of the system, as PEM. */
  ca?: string
}

interface GuardedRequest {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  /** Covers the request and the body of the response. */
  signal: AbortSignal
}

const MAX_ADDRESSES_TRIED = 3
const RESOLVE_TIMEOUT_MS = 5_000

/**
 * Sends requests to URLs that users supply (SSRF protection). All addresses of a name must be public. The request is
 * sent to a checked address, with the name in `Host` and in the TLS handshake, so a later DNS change has no effect.
 * Redirects are returned instead of followed, and the body is not decompressed.
 */
export class AddressGuard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Returns the problem of a URL that can be found without DNS; undefined if there is none. */
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
        // After a connection the request may have been processed, so it is not repeated at another address.
        if (!NOT_CONNECTED.has(codeOf(error))) break
      }
    }
    throw new Unreachable(reasonOf(codeOf(failure)), failure)
  }

  async #addressesOf({ host, literal }: Destination, signal: AbortSignal): Promise<readonly string[]> {
    if (literal !== undefined) return [literal]
    const { resolve = resolveBySystem, allowPrivate } = this.#options
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_TIMEOUT_MS)])
    const addresses = await unlessAborted(resolve(host), timeout).catch((error: unknown) => {
      signal.throwIfAborted()
      throw new Unreachable('the name has no address', error)
    })
    if (addresses.length === 0) throw new Unreachable('the name has no address')
    if (!allowPrivate && !addresses.every(isPublicAddress)) throw new AddressRefused('must have a public address')
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
      signal,
      ...(url.protocol === 'https:' && {
        tls: { ...(literal === undefined ? { serverName: host } : {}), ...(ca === undefined ? {} : { ca }) },
      }),
    })
  }
}

const NOT_CONNECTED = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'FailedToOpenSocket',
])

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? 'no response')

const CERTIFICATE_PROBLEM = /CERT|VERIFY|CRL/

/** The reason as the operator of the other server needs it. */
function reasonOf(code: string): string {
  if (NOT_CONNECTED.has(code)) return 'the connection was refused, or there is no route'
  if (CERTIFICATE_PROBLEM.test(code)) return `its certificate is not valid (${code})`
  return `the connection ended without a valid response (${code})`
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
