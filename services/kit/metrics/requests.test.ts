import { expect, test } from 'bun:test'
import { Registry } from 'prom-client'
import { requestMetrics } from './requests.ts'

const counted = async (registry: Registry) =>
  /marketplace_http_request_duration_seconds_count\{.*\} (\d+)/.exec(await registry.metrics())?.[1]

test('every request is in the next scrape', async () => {
  const registry = new Registry()
  const observe = requestMetrics(registry).observer('listParts')
  observe(200, 0.002)
  expect(await counted(registry)).toBe('1')
  for (let index = 0; index < 1300; index++) observe(200, 0.002)
  expect(await counted(registry)).toBe('1301')
  expect(await counted(registry)).toBe('1301')
})

test('requests are counted by operation and status', async () => {
  const registry = new Registry()
  const metrics = requestMetrics(registry)
  metrics.observer('listParts')(200, 0.002)
  metrics.observer('listParts')(404, 0.002)
  metrics.observer('getPart')(200, 0.002)
  const text = await registry.metrics()
  expect(text).toContain('marketplace_http_request_duration_seconds_count{operation="listParts",status="404"} 1')
  expect(text).toContain('marketplace_http_request_duration_seconds_count{operation="getPart",status="200"} 1')
})
