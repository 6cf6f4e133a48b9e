import { describe, expect, test } from 'bun:test'
import type { ServiceName } from '../../proto/services.ts'
import { createServices } from '../all/services.ts'
import { open } from '../kit/service/run.ts'
import { testMarketplace } from '../testing/marketplace.ts'

const market = await testMarketplace()

/** One service in its own process, as in a cluster. */
async function alone(name: ServiceName) {
  const services = Object.values(await createServices([name], market.config))
  const [service] = services
  if (!service) throw new Error('no service')
  const running = await open({ services, config: market.config, ownerOf: () => service })
  market.db.beforeDrop(running.stop)
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${running.port}${path}`, { headers })
}

const identity = await alone('identity')
const catalog = await alone('catalog')

describe('a request for another service, which an ingress sends here when that service has no ready replica', () => {
  test.each(['/v1/parts', '/v1/users/usr_1', '/flows/v1/parts', '/v1/materials:batch-get'])(
    '%s is 503 at identity',
    async (path) => {
      const response = await identity(path)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await response.text()).toContain('The service for this path has no ready replica')
    },
  )

  test.each(['/v1/unknown', '/flows/v1/unknown', '/v1'])('%s, which no service has, is 404', async (path) => {
    expect((await identity(path)).status).toBe(404)
    expect((await catalog(path)).status).toBe(404)
  })

  test('additions that are not exposed are 404 at catalog, and specified paths 503', async () => {
    expect((await catalog('/flows/v1/parts')).status).toBe(404)
    expect((await catalog('/v1/parts')).status).toBe(503)
  })
})

test('GET /profile on the port of health lists the functions with most samples', async () => {
  const response = await fetch(`http://127.0.0.1:${market.running.healthPort}/profile?seconds=1`)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Top functions')])
})

describe('/livez and /readyz on the port of the API', () => {
  test('answer the check of a load balancer', async () => {
    for (const path of ['/livez', '/readyz']) {
      const response = await catalog(path)
      expect([path, response.status, await response.text()]).toEqual([path, 200, 'ok\n'])
    }
  })

  test('through a proxy they are unknown paths', async () => {
    for (const path of ['/livez', '/readyz']) {
      const response = await catalog(path, { 'x-forwarded-for': '192.0.2.1' })
      expect([path, response.status]).toEqual([path, 404])
      expect(response.headers.get('content-type')).toStartWith('application/')
    }
  })
})
