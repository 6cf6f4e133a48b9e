import { expect, test } from 'bun:test'
import { open } from '../kit/service/run.ts'
import type { ServiceConfig } from '../kit/service/service.ts'
import { ApiClient } from '../testing/client.ts'
import { marketplaceOf } from '../testing/marketplace.ts'
import { createCatalog } from './service.ts'

/** The chart leads all other paths to this service where the additions are not exposed. */
const market = await marketplaceOf([])
const config = market.configOf<ServiceConfig>('catalog')
const catalog = await createCatalog(config)
const running = await open({ services: [catalog], config: { ...market.config, ...config }, ownerOf: () => catalog })
market.db.beforeDrop(() => running.stop())
const { client } = (await market.organization(['IP_OWNER'])).administrator
const atCatalog = new ApiClient(`http://127.0.0.1:${running.port}`, client.accessToken)

test.each(['/v1/unknown', '/flows/v1/sessions', '/flows/v1/activations', '/unknown', '/'])(
  '%s is 404 in the envelope of /v1',
  async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await atCatalog.send(method, path)
      expect([status, headers.get('content-type'), body.code]).toEqual([404, 'application/problem+json', 'not_found'])
    }
  },
)

test('/v1/parts, which is of a service without a ready replica, is 503 in the envelope of /v1', async () => {
  const { status, headers, body } = await atCatalog.get<{ code: string }>('/v1/parts')
  expect([status, headers.get('content-type'), body.code]).toEqual([503, 'application/problem+json', 'unavailable'])
})

test('/v2.3/unknown is 404 in the envelope of /v2.3', async () => {
  const { status, body } = await atCatalog.get<{ error: { code: string } }>('/v2.3/unknown')
  expect([status, body.error.code]).toEqual([404, 'not_found'])
})
