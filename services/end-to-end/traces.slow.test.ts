import { afterAll, expect, test } from 'bun:test'
import { VERSION } from '../kit/config/version.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { startService, stopService } from '../testing/processes.ts'
import { until } from '../testing/until.ts'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}
interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: { traceId: string; parentSpanId?: string; name: string; attributes: Attribute[] }[] }[]
  }[]
}
interface ReceivedSpan {
  service: string
  traceId: string
  parentSpanId: string | undefined
  name: string
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}

const received: ReceivedSpan[] = []
const byName = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
const collector = Bun.serve({
  port: 0,
  fetch: async (request) => {
    for (const { resource, scopeSpans } of ((await request.json()) as Exported).resourceSpans) {
      const service = String(byName(resource.attributes)['service.name'])
      for (const { traceId, parentSpanId, name, attributes } of scopeSpans.flatMap(({ spans }) => spans)) {
        const own = byName(attributes)
        received.push({ service, traceId, parentSpanId, name, attributes: own, resource: byName(resource.attributes) })
      }
    }
    return Response.json({})
  },
})
afterAll(() => collector.stop(true))
const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }
const market = await testMarketplace({ ...OTEL, ALLOW_PRIVATE_ADDRESSES: 'true' })

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const traceparent = (trace: string) => ({ traceparent: `00-${trace}-${CALLER}-01` })
const spanOf = (trace: string, name: string, service?: string) =>
  until(
    () =>
      received.find(
        (span) => span.traceId === trace && span.name === name && (service === undefined || span.service === service),
      ),
    { what: `the span ${name}` },
  )

test('all services in one process: request, statements and event share the trace, each under its own service', async () => {
  const org = await market.organization(['IP_OWNER'])
  const { userId } = await org.member([])
  const path = '/flows/v1/users/{id}/reset-password'
  const { client } = org.administrator
  const answer = await client.post(path.replace('{id}', userId), undefined, traceparent(TRACE))
  expect(answer.status).toBe(200)

  const request = await spanOf(TRACE, `POST ${path}`)
  expect(request).toMatchObject({ service: 'organization', parentSpanId: CALLER })
  expect(request.attributes).toMatchObject({ 'http.route': path, 'http.response.status_code': 200 })
  const statement = await spanOf(TRACE, 'UPDATE', 'organization')
  expect(statement).toMatchObject({ attributes: { 'db.system.name': 'postgresql' } })
  expect(statement.attributes['db.query.text']).toContain('organization.users')
  expect(JSON.stringify(received)).not.toContain(userId)
  expect((await spanOf(TRACE, 'send organization.user.credentialsReset')).service).toBe('organization')
  expect((await spanOf(TRACE, 'process organization.user.credentialsReset')).service).toBe('identity')
})

test('a webhook continues the trace of the request that caused its event', async () => {
  const trace = TRACE.replace('4bf9', '7bf9')
  const org = await market.organization(['CONSUMER'])
  const { client } = org.administrator
  const receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') })
  const url = `http://127.0.0.1:${receiver.port}/`
  const endpoint = await client.post<{ data: { id: string } }>('/v2.3/webhooks/endpoints', { url, events: ['cases.*'] })
  expect(endpoint.status).toBe(201)
  const created = await client.post('/flows/v1/cases', { kind: 'QUALITY', title: 'Porosity' }, traceparent(trace))
  expect(created.status).toBe(201)
  expect((await spanOf(trace, 'POST /flows/v1/cases')).service).toBe('sourcing')
  expect((await spanOf(trace, 'process cases.created')).service).toBe('webhooks')
  expect(await spanOf(trace, 'deliver cases.created')).toMatchObject({
    service: 'webhooks',
    attributes: { 'webhook.endpoint': endpoint.body.data.id, 'webhook.attempt': 1, 'http.response.status_code': 200 },
  })
  await receiver.stop(true)
})

test('a service of its own continues the trace of the caller, in reads too', async () => {
  const trace = TRACE.replace('4bf9', '5bf9')
  const catalog = await startService('catalog', market.db, undefined, OTEL)
  await catalog.client.get('/v1/materials', { headers: traceparent(trace) })
  const span = await spanOf(trace, 'GET /v1/materials')
  expect(span).toMatchObject({ service: 'catalog', attributes: { 'http.response.status_code': 401 } })
  expect(await stopService(catalog, 'SIGTERM')).toBe(0)
})

test('spans name the process and the marketplace of a service, and the attributes of OTEL_RESOURCE_ATTRIBUTES', async () => {
  const trace = TRACE.replace('4bf9', '8bf9')
  const own = await spanOf(TRACE, 'process organization.user.credentialsReset')
  expect(own.resource).toMatchObject({ 'service.name': 'identity', 'service.namespace': 'marketplace' })
  expect(own.resource['service.instance.id']).toMatch(/^[0-9a-f-]{36}$/)
  const catalog = await startService('catalog', market.db, undefined, {
    ...OTEL,
    OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=pod-1,service.namespace=market,team=A%20B,service.name=other',
  })
  await catalog.client.get('/v1/materials', { headers: traceparent(trace) })
  expect((await spanOf(trace, 'GET /v1/materials')).resource).toEqual({
    'service.name': 'catalog',
    'service.version': VERSION,
    'service.namespace': 'market',
    'service.instance.id': 'pod-1',
    team: 'A B',
  })
  expect(await stopService(catalog, 'SIGTERM')).toBe(0)
})

test('a sampler by ratio traces no request of its own, but those that the caller traces', async () => {
  const catalog = await startService('catalog', market.db, undefined, {
    ...OTEL,
    OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=sampled',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const trace = TRACE.replace('4bf9', '9bf9')
  expect((await catalog.client.get('/v1/standards')).status).toBe(401)
  await catalog.client.get('/v1/materials', { headers: traceparent(trace) })
  // The end of the process exports all spans.
  expect(await stopService(catalog, 'SIGTERM')).toBe(0)
  const sampled = received.filter(({ resource }) => resource['service.instance.id'] === 'sampled')
  expect(sampled.map(({ name, traceId }) => [name, traceId])).toEqual([['GET /v1/materials', trace]])
})

test('a failed statement in a transaction: the span has an error and the command fails as without traces', async () => {
  const trace = TRACE.replace('4bf9', '6bf9')
  const org = await market.organization(['IP_OWNER'])
  const { email } = org.administrator
  const person = { email, givenName: 'Test', familyName: 'Person' }
  const answer = await org.administrator.client.post('/flows/v1/users', person, traceparent(trace))
  expect(answer.status).toBe(409)
  expect((await spanOf(trace, 'INSERT')).service).toBe('organization')
  expect((await spanOf(trace, 'POST /flows/v1/users')).attributes['http.response.status_code']).toBe(409)
})

test('a collector that does not answer: requests are served and the service stops with exit code 0', async () => {
  const dead = Bun.serve({ port: 0, fetch: () => new Response() })
  const endpoint = `http://127.0.0.1:${dead.port}`
  await dead.stop(true)
  const catalog = await startService('catalog', market.db, undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  expect((await catalog.client.get('/v1/materials')).status).toBe(401)
  expect(await stopService(catalog, 'SIGTERM')).toBe(0)
})
