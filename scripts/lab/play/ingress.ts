import { ownerOf } from '../../../proto/paths.ts'
import type { ServiceName } from '../../../proto/services.ts'

export interface Ingress {
  url: string
  stop(): Promise<void>
}

/** Addresses of the replicas of each service. */
export type Backends = Readonly<Record<ServiceName, readonly string[]>>

/**
 * A reverse proxy on this machine that routes paths to the services as the Ingress of the chart does, replicas in turn.
 */
export function startIngress(backends: Backends, port = 0): Ingress {
  let requests = 0
  const backendOf = (path: string) => {
    const replicas = backends[ownerOf(path)]
    requests += 1
    return replicas[requests % replicas.length]
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 120,
    async fetch(request, server) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      const before = headers.get('x-forwarded-for')
      const client = server.requestIP(request)?.address ?? ''
      headers.set('x-forwarded-for', before === null ? client : `${before}, ${client}`)
      return fetch(`${backendOf(pathname)}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body,
        redirect: 'manual',
        decompress: false,
      })
    },
    error: () => new Response('The service does not answer.\n', { status: 502 }),
  })
  return { url: server.url.origin, stop: () => server.stop(true) }
}
