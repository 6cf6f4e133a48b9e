import { afterAll, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { emitAny } from '../../kit/bus/outbox/emit.ts'
import { readAnnouncement } from '../../kit/db/announcements.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'
import { DUE_CHANNEL } from './queries.ts'

const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const { owner } = market.db
const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))

interface Received {
  headers: Record<string, string>
  body: string
}

/** A receiver that records what arrives and answers with a status. */
function receiver(answer: (received: readonly Received[]) => Response | Promise<Response>) {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return answer(received)
    },
  })
  afterAll(() => server.stop(true))
  return { received, url: `http://127.0.0.1:${server.port}/in` }
}
const accepting = () => receiver(() => new Response('ok'))

const PATH = '/v2.3/webhooks/endpoints'
const newOrganization = () => market.organization(['CONSUMER'])
type Organization = Awaited<ReturnType<typeof newOrganization>>

async function endpoint(org: Organization, url: string, more: object = {}): Promise<CreatedWebhookEndpoint> {
  const { client } = org.administrator
  const answer = await client.post<{ data: CreatedWebhookEndpoint }>(PATH, { url, events: ['cases.*'], ...more })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data
}

const send = (org: Organization, type: string, data: object = {}) =>
  producer.begin((tx) =>
    emitAny(tx, { type: type as 'cases.created', tenantId: org.orgId, subject: 'case_1', data: data as never }),
  )

const deliveriesOf = (endpointId: string) => owner<
  { state: string; attempt: number; wait_ms: number; event_id: string }[]
>`
  select state, attempt, extract(epoch from next_attempt_at - now())::float * 1000 as wait_ms, event_id
  from webhooks.deliveries where endpoint_id = ${endpointId} order by id`
const attemptsOf = (endpointId: string) => owner<{ number: number; status: number | null; error: string | null }[]>`
  select a.number, a.status, a.error from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
  where d.endpoint_id = ${endpointId} order by a.timestamp, a.number`
const makeDue = (endpointId: string) => owner`
  update webhooks.deliveries set next_attempt_at = now() where endpoint_id = ${endpointId} and state = 'PENDING'`
/** Another event of the organization reaches its receiver, so that an earlier one would have been sent too. */
async function passed(org: Organization, type = 'cases.created') {
  const { url, received } = accepting()
  await endpoint(org, url, { events: [type] })
  await send(org, type)
  await until(() => received.length > 0, { what: 'a later event' })
}

describe('a delivery', () => {
  test('is announced to the dispatchers by its organization; an event without an endpoint is not', async () => {
    const announced: string[] = []
    const { unlisten } = await owner.listen(DUE_CHANNEL, (payload) =>
      announced.push(...(readAnnouncement(payload)?.about ?? [])),
    )
    const [subscribed, without] = [await newOrganization(), await newOrganization()]
    await endpoint(subscribed, accepting().url)
    await send(without, 'cases.created')
    await send(subscribed, 'cases.created')
    await until(() => announced.includes(subscribed.orgId), { what: 'the notification' })
    expect(announced).not.toContain(without.orgId)
    await unlisten()
  })

  test('is signed so that the published library verifies it, with id, type, time, tenant and data', async () => {
    const org = await newOrganization()
    const { url, received } = accepting()
    const { secret } = await endpoint(org, url)
    await send(org, 'cases.created', { caseId: 'case_1', title: 'Ø 12 – Pumpe' })
    const { headers, body } = await until(() => received[0], { what: 'the delivery' })
    expect(new Webhook(secret).verify(body, headers)).toEqual({
      id: headers['webhook-id'],
      type: 'cases.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      tenant_id: org.orgId,
      data: { caseId: 'case_1', title: 'Ø 12 – Pumpe' },
    })
    expect(headers).toMatchObject({
      'webhook-attempt': '1',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^marketplace-webhooks\//),
    })
    const other = await endpoint(await newOrganization(), url)
    expect(() => new Webhook(other.secret).verify(body, headers)).toThrow()
  })

  test('reaches the endpoints that subscribe to its type or a wildcard of it, and no others', async () => {
    const org = await newOrganization()
    const stranger = await newOrganization()
    const { url, received } = accepting()
    const at = (path: string) => `${url}/${path}`
    const subscribed = [
      ['cases.*'],
      ['cases.tasks.*'],
      ['cases.tasks.created'],
      ['assignments.*', 'cases.tasks.created'],
    ]
    const others = [['cases.created'], ['cases.tasks.updated'], ['cases.expenses.*'], ['assignments.*']]
    const ids = await Promise.all(subscribed.map(async (events) => (await endpoint(org, at('yes'), { events })).id))
    for (const events of others) await endpoint(org, at('no'), { events })
    await endpoint(stranger, at('no'), { events: ['cases.*', 'assignments.*'] })
    await send(org, 'cases.tasks.created')
    await until(() => received.length === subscribed.length, { what: 'a delivery to each subscriber' })
    await passed(org, 'cases.expenses.created')
    const rows = await owner<{ endpoint_id: string }[]>`
      select endpoint_id from webhooks.deliveries where type = 'cases.tasks.created' and org_id = ${org.orgId}`
    expect(rows.map(({ endpoint_id }) => endpoint_id).sort()).toEqual(ids.sort())
    expect((await owner`select from webhooks.deliveries where org_id = ${stranger.orgId}`).length).toBe(0)
  })

  test('whose event arrives again, after its id was forgotten, is not repeated', async () => {
    const org = await newOrganization()
    const { received, url } = accepting()
    await endpoint(org, url)
    const id = await send(org, 'cases.created')
    await until(() => received.length === 1, { what: 'the delivery' })
    await owner`delete from webhooks.processed_events where event_id = ${id}`
    await owner`update sourcing.outbox set sent_at = null, txid = pg_current_xact_id() where id = ${id}`
    const laterId = await send(org, 'cases.updated')
    await until(() => received.length > 1, { what: 'the delivery of the later event' })
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([id, laterId])
    const [row] = await owner`select count(*)::integer as count from webhooks.processed_events where event_id = ${id}`
    expect(row).toEqual({ count: 1 })
  })

  test('that fails is retried with the same id and the same bytes, until a 2xx', async () => {
    const org = await newOrganization()
    const { url, received } = receiver((all) => new Response('no', { status: all.length < 3 ? 500 : 204 }))
    const { id } = await endpoint(org, url)
    await send(org, 'cases.closed', { a: 1 })
    for (const attempt of [1, 2]) {
      await until(async () => (await attemptsOf(id)).length === attempt, { what: `attempt ${attempt}` })
      await makeDue(id)
    }
    await until(async () => (await deliveriesOf(id))[0]?.state === 'DELIVERED', { what: 'the success' })
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(received.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3'])
    expect((await attemptsOf(id)).map(({ status }) => status)).toEqual([500, 500, 204])
  })

  test.each([
    [301, { location: 'http://127.0.0.1:9/elsewhere' }, 4000, 6000],
    [404, {}, 4000, 6000],
    [410, {}, 4000, 6000],
    [429, { 'retry-after': '600' }, 590_000, 600_000],
    [503, { 'retry-after': '999999999' }, 86_390_000, 86_400_000],
    [429, { 'retry-after': '99999999999' }, 86_390_000, 86_400_000],
    [500, { 'retry-after': '600' }, 4000, 6000],
  ])('answered %i with %j is retried after %i to %i ms', async (status, headers, minMs, maxMs) => {
    const org = await newOrganization()
    const { url, received } = receiver(() => new Response('', { status, headers: headers as Record<string, string> }))
    const { id } = await endpoint(org, url)
    await send(org, 'cases.created')
    await until(async () => (await attemptsOf(id)).length === 1, { what: 'the attempt' })
    const [delivery] = await until(async () => {
      const rows = await deliveriesOf(id)
      return rows[0]?.state === 'PENDING' && rows
    })
    // The time since the attempt is subtracted.
    expect([(delivery?.wait_ms as number) <= maxMs, (delivery?.wait_ms as number) >= minMs - 3000]).toEqual([
      true,
      true,
    ])
    expect(received).toHaveLength(1)
  })

  test('that cannot be signed has an attempt with the reason, and is retried after the usual pause', async () => {
    const org = await newOrganization()
    const { url, received } = accepting()
    const { id } = await endpoint(org, url)
    await owner`update webhooks.endpoints set secret = 'removed.AAAA.AAAA' where id = ${id}`
    await send(org, 'cases.created')
    await until(async () => (await attemptsOf(id)).length === 1, { what: 'the attempt' })
    expect([...(await attemptsOf(id))]).toEqual([
      {
        number: 1,
        status: null,
        error:
          "The delivery could not be signed: the marketplace cannot decrypt the endpoint's secret. Rotating it helps.",
      },
    ])
    const [delivery] = await deliveriesOf(id)
    expect([delivery?.state, delivery?.attempt]).toEqual(['PENDING', 1])
    expect(delivery?.wait_ms).toBeWithin(1000, 6000)
    expect(received).toHaveLength(0)
    const rotation = `/flows/v1/webhooks/endpoints/${id}/rotate-secret`
    const { secret } = (await org.administrator.client.post<{ secret: string }>(rotation)).body
    await makeDue(id)
    await until(async () => (await deliveriesOf(id))[0]?.state === 'DELIVERED', { what: 'the success' })
    expect(received).toHaveLength(1)
    new Webhook(secret).verify(received[0]?.body ?? '', received[0]?.headers ?? {})
  })

  test('whose last attempt fails is FAILED', async () => {
    const org = await newOrganization()
    const { url } = receiver(() => new Response('', { status: 500 }))
    const { id } = await endpoint(org, url)
    await send(org, 'cases.created')
    await until(async () => (await attemptsOf(id)).length === 1, { what: 'the first attempt' })
    await owner`update webhooks.deliveries set attempt = 11, next_attempt_at = now() where endpoint_id = ${id}`
    await until(async () => (await deliveriesOf(id))[0]?.state === 'FAILED', { what: 'the end' })
  })
})

describe('an endpoint', () => {
  test('that is paused keeps its deliveries, and gets them once it is active', async () => {
    const org = await newOrganization()
    const { url, received } = receiver((all) => new Response('', { status: all.length === 1 ? 500 : 200 }))
    const { id } = await endpoint(org, url)
    await send(org, 'cases.created')
    await until(async () => (await attemptsOf(id)).length === 1, { what: 'the first attempt' })
    await org.administrator.client.send('PATCH', `${PATH}/${id}`, { body: { status: 'paused' } })
    await makeDue(id)
    await passed(org, 'cases.archived')
    expect(received).toHaveLength(1)
    await org.administrator.client.send('PATCH', `${PATH}/${id}`, { body: { status: 'active' } })
    await until(() => received.length === 2, { what: 'the held delivery' })
  })

  test('that is deleted no longer gets anything', async () => {
    const org = await newOrganization()
    const { url, received } = receiver(() => new Response('', { status: 500 }))
    const { id } = await endpoint(org, url)
    await send(org, 'cases.created')
    await until(async () => (await attemptsOf(id)).length === 1, { what: 'the first attempt' })
    expect((await org.administrator.client.send('DELETE', `${PATH}/${id}`)).status).toBe(204)
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['FAILED'])
    await makeDue(id)
    await passed(org, 'cases.archived')
    expect(received).toHaveLength(1)
  })
})

test('/metrics counts attempts by result, due deliveries and endpoints that were paused automatically', async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
  const figureOf = (series: string) =>
    Number(new RegExp(`^${series.replace(/[{}"]/g, '.')} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  expect(figureOf('marketplace_webhook_attempts_total{result="2xx",component="webhooks"}')).toBeGreaterThan(3)
  expect(figureOf('marketplace_webhook_attempts_total{result="5xx",component="webhooks"}')).toBeGreaterThan(3)
  expect(figureOf('marketplace_webhook_delivery_latency_seconds_count{component="webhooks"}')).toBeGreaterThan(3)
  expect(figureOf('marketplace_webhook_paused_endpoints{component="webhooks"}')).toBe(0)
  expect(figureOf('marketplace_webhook_due_deliveries{component="webhooks"}')).toBeGreaterThanOrEqual(0)
  expect(figureOf('marketplace_webhook_oldest_due_seconds{component="webhooks"}')).toBeGreaterThanOrEqual(0)
})
