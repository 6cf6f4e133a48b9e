import { ownerOf } from '../../proto/paths.ts'
import type { ServiceName } from '../../proto/services.ts'

export interface Ingress {
  url: string
  stop(): Promise<void>
}

/** A reverse proxy on this machine that routes paths to the services as the Ingress of the chart does. */
export function startIngress(services: Readonly<Record<ServiceName, string>>, port = 0): Ingress {
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
      return fetch(`${services[ownerOf(pathname)]}${pathname}${search}`, {
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
