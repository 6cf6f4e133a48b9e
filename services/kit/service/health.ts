import { exposition } from '../metrics/exposition.ts'
import type { Service } from './service.ts'

interface HealthOptions {
  hostname: string
  port: number
  services: readonly Pick<Service, 'name' | 'registry'>[]
  isReady(): boolean
}

export const healthAnswer = (path: '/livez' | '/readyz', isReady: boolean): Response =>
  path === '/livez' || isReady ? new Response('ok\n') : new Response('not ready\n', { status: 503 })

/**
 * `/livez`, `/readyz` and `/metrics`, on a port that no ingress reaches. Alive means that the event loop runs; ready
 * means that the process has started and is not stopping. Neither depends on Postgres or NATS, because an outage of theirs
 * must not restart every pod.
 */
export function healthServer({ hostname, port, services, isReady }: HealthOptions) {
  return Bun.serve({
    hostname,
    port,
    fetch: async ({ method, url }) => {
      if (method !== 'GET' && method !== 'HEAD') return new Response('not allowed\n', { status: 405 })
      switch (new URL(url).pathname) {
        case '/livez':
          return healthAnswer('/livez', isReady())
        case '/readyz':
          return healthAnswer('/readyz', isReady())
        case '/metrics':
          return new Response(await exposition(services), {
            headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
          })
        default:
          return new Response('not found\n', { status: 404 })
      }
    },
  })
}
