import { profile } from 'bun:jsc'
import { exposition } from '../metrics/exposition.ts'
import { dependencyChecks } from './checks.ts'
import type { Service } from './service.ts'

interface HealthOptions {
  hostname: string
  port: number
  services: readonly Pick<Service, 'name' | 'registry' | 'dependencies'>[]
  isReady(): boolean
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/
const MAX_PROFILE_SECONDS = 60
let isProfiled = false

/** Samples all JavaScript of the process for some seconds, and lists the functions with most samples. */
async function profileAnswer(seconds: number): Promise<Response> {
  if (!(seconds > 0 && seconds <= MAX_PROFILE_SECONDS)) return new Response('seconds: 1 to 60\n', { status: 400 })
  if (isProfiled) return new Response('a profile is being taken\n', { status: 409 })
  isProfiled = true
  try {
    const { functions } = await profile(() => Bun.sleep(seconds * 1000))
    return new Response(functions)
  } finally {
    isProfiled = false
  }
}

export const healthAnswer = (path: '/livez' | '/readyz', isReady: boolean): Response =>
  path === '/livez' || isReady ? new Response('ok\n') : new Response('not ready\n', { status: 503 })

/**
 * `/livez`, `/readyz`, `/checks` and `/metrics`, on a port that no ingress reaches. Alive means that the event loop
 * runs; ready means that the process has started and is not stopping. Neither depends on Postgres or NATS, because an
 * outage of theirs must not restart every pod. `/checks` asks each dependency, for a person or `helm test`.
 */
export function healthServer({ hostname, port, services, isReady }: HealthOptions) {
  const check = dependencyChecks(services)
  return Bun.serve({
    hostname,
    port,
    idleTimeout: 2 * MAX_PROFILE_SECONDS,
    fetch: async (request, server) => {
      const { method, url } = request
      if (method !== 'GET' && method !== 'HEAD') return new Response('not allowed\n', { status: 405 })
      const { pathname, searchParams } = new URL(url)
      // A profile needs a connection from the pod itself, because it slows the process down.
      if (pathname === '/profile' && LOOPBACK.test(server.requestIP(request)?.address ?? '')) {
        return profileAnswer(Number(searchParams.get('seconds') ?? 10))
      }
      switch (pathname) {
        case '/livez':
          return healthAnswer('/livez', isReady())
        case '/readyz':
          return healthAnswer('/readyz', isReady())
        case '/checks': {
          const checks = await check()
          return Response.json({ checks }, { status: checks.some(({ failure }) => failure !== null) ? 503 : 200 })
        }
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
