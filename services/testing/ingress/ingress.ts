import type { Server } from 'bun'
import { ownerOf } from '../../../proto/paths.ts'
import type { ServiceName } from '../../../proto/services.ts'
import type { RawAnswer } from '../socket.ts'
import { Upstream } from './upstream.ts'

interface Target {
  url: string
  upstream: Upstream
}

/** Headers of one connection, which a proxy does not pass on. */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'])
const NO_BODY = new Set([204, 304])

/**
 * A reverse proxy as an ingress controller is one: it chooses the service by the path and the replicas in turn, keeps
 * connections alive, and sends no request twice.
 */
export class Ingress {
  readonly url: string
  /** Requests that had no replica or got no answer. */
  readonly failures: string[] = []
  readonly #targets = new Map<ServiceName, Target[]>()
  readonly #server: Server<undefined>
  #turn = 0

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 120,
      fetch: (request) => this.#serve(request),
    })
    this.url = `http://127.0.0.1:${this.#server.port}`
  }

  /** Sends requests to a replica that is ready. */
  add(service: ServiceName, url: string): void {
    this.#targets.set(service, [...(this.#targets.get(service) ?? []), { url, upstream: new Upstream(url) }])
  }

  /** Sends no further request to a replica. Those in flight continue, and its idle connections stay open. */
  remove(service: ServiceName, url: string): void {
    this.#targets.set(
      service,
      (this.#targets.get(service) ?? []).filter((target) => target.url !== url),
    )
  }

  close(): void {
    for (const { upstream } of [...this.#targets.values()].flat()) upstream.close()
    this.#server.stop(true)
  }

  async #serve(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const targets = this.#targets.get(ownerOf(pathname)) ?? []
    const target = targets[this.#turn++ % Math.max(targets.length, 1)]
    try {
      if (!target) throw new Error('no replica is ready')
      return responseOf(await target.upstream.send(await bytesOf(request, pathname + search, target.url)))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.failures.push(`${request.method} ${pathname}: ${reason}`)
      return new Response(reason, { status: 502 })
    }
  }
}

async function bytesOf(request: Request, path: string, url: string): Promise<Uint8Array> {
  const body = Buffer.from(await request.bytes())
  const fields = [...request.headers].filter(([name]) => !CONNECTION_HEADERS.has(name))
  const head = [
    `${request.method} ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.byteLength}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

function responseOf({ status, headers, body }: RawAnswer): Response {
  const fields = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name))
  return new Response(NO_BODY.has(status) ? null : Buffer.from(body, 'latin1'), { status, headers: fields })
}
