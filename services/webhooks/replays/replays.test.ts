import { describe, expect, test } from 'bun:test'
import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookEndpointHealth, WebhookReplay } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { ENDPOINTS, marketplaceWithWebhooks, OPERATIONS } from '../../testing/webhooks.ts'

const { market, org, client, receiver, endpoint, list, remove, send, finished } = await marketplaceWithWebhooks()
const { owner } = market.db

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
interface Period {
  from: string
  to: string
}
const replay = (id: string, period: Period) =>
  client.post<WebhookReplay & Problem>(`${OPERATIONS}/endpoints/${id}/replay`, period)
const setStatus = (id: string, status: string) => client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status } })
const replayOf = async (id: string) =>
  (await client.get<WebhookEndpointHealth>(`${OPERATIONS}/endpoints/${id}`)).body.replay
const done = (id: string) =>
  until(
    async () => {
      const latest = await replayOf(id)
      return latest?.finishedTime !== undefined && latest
    },
    { what: 'the end of the replay' },
  )
const stored = (type: string) =>
  until(
    async () => (await owner`select from webhooks.events where org_id = ${org.orgId} and type = ${type}`).length > 0,
    { what: 'the event' },
  )
let hours = 0
/** Events of the organization, a millisecond apart, in a period of their own. */
async function insertEvents(count: number, type: string): Promise<Period> {
  hours += 2
  const from = new Date(Date.now() - hours * HOUR_MS).toISOString()
  await owner`
    insert into webhooks.events (id, timestamp, org_id, type, body)
    select 'evt_' || gen_random_uuid(), ${from}::timestamptz + number * interval '1 millisecond', ${org.orgId}, ${type}, '{}'
    from generate_series(1, ${count}::integer) number`
  return { from, to: new Date(Date.parse(from) + HOUR_MS).toISOString() }
}
const allDelivered = (id: string) =>
  until(
    async () =>
      (await owner`select from webhooks.deliveries where endpoint_id = ${id} and state = 'PENDING'`).length === 0,
    { what: 'every delivery' },
  )
const deliveriesOf = (id: string) => owner<{ event_id: string; replay: number }[]>`
  select event_id, replay from webhooks.deliveries where endpoint_id = ${id}`

describe('a replay', () => {
  test('sends the subscribed events of its period with their ids, also those that a pause held back, and no test events', async () => {
    const { id, path } = await endpoint({ events: ['cases.tasks.*', 'cases.closed'] })
    const { path: other } = await endpoint()
    const from = new Date().toISOString()
    await send('cases.closed')
    await finished(id, 'DELIVERED')
    await client.post(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.closed' })
    await finished(id, 'DELIVERED', 2)
    await setStatus(id, 'paused')
    for (const type of ['cases.tasks.created', 'cases.expenses.created', 'cases.created']) await send(type)
    await stored('cases.created')
    const to = new Date().toISOString()
    await setStatus(id, 'active')
    const before = receiver.at(path).length
    const answer = await replay(id, { from, to })
    expect([answer.status, answer.body]).toEqual([
      200,
      { from, to, deliveries: 0, createdTime: expect.any(String) } as WebhookReplay & Problem,
    ])
    const finishedReplay = await done(id)
    expect(finishedReplay).toEqual({ ...answer.body, deliveries: 2, finishedTime: expect.any(String) })
    const items = await finished(id, 'DELIVERED', 4)
    expect(items.map(({ type, replay }) => `${type} ${replay}`).sort()).toEqual([
      'cases.closed 0',
      'cases.closed 0',
      'cases.closed 1',
      'cases.tasks.created 1',
    ])
    const [first, , ...repeated] = receiver.at(path).map(({ body }) => JSON.parse(body) as { id: string; data: object })
    expect([before, repeated.length]).toEqual([2, 2])
    expect(repeated.filter((event) => event.id === first?.id)).toEqual([first as { id: string; data: object }])
    expect(receiver.at(other).every(({ body }) => !body.includes('"test":true'))).toBe(true)
    for (const one of await client.get<{ data: { id: string }[] }>(ENDPOINTS).then(({ body }) => body.data))
      await remove(one.id)
  })

  test('waits as one record while its endpoint is paused', async () => {
    const period = await insertEvents(3, 'cases.archived')
    const { id, path } = await endpoint({ events: ['cases.archived'], status: 'paused' })
    expect((await replay(id, period)).status).toBe(200)
    await until(
      async () => (await owner`select from webhooks.jobs where id = ${id} and due_at = 'infinity'`).length === 1,
    )
    expect([(await deliveriesOf(id)).length, await replayOf(id)]).toEqual([
      0,
      { ...period, deliveries: 0, createdTime: expect.any(String) },
    ])
    expect((await replay(id, period)).body).toMatchObject({ code: 'limit_reached', status: 409 })
    await setStatus(id, 'active')
    await finished(id, 'DELIVERED', 3)
    expect(await done(id)).toMatchObject({ deliveries: 3 })
    expect(receiver.at(path)).toHaveLength(3)
    expect((await replay(id, period)).status).toBe(200)
    expect(await finished(id, 'DELIVERED', 6)).toHaveLength(6)
    expect((await deliveriesOf(id)).map((one) => one.replay).sort()).toEqual([1, 1, 1, 2, 2, 2])
    await remove(id)
  })

  test('of a paused endpoint ends with the deletion of the endpoint', async () => {
    const period = await insertEvents(1, 'cases.created')
    const { id } = await endpoint({ status: 'paused' })
    expect((await replay(id, period)).status).toBe(200)
    expect((await remove(id)).status).toBe(204)
    expect((await owner`select from webhooks.replays where endpoint_id = ${id}`).length).toBe(0)
    expect((await owner`select from webhooks.jobs where id = ${id}`).length).toBe(0)
    expect((await deliveriesOf(id)).length).toBe(0)
  })

  test('creates deliveries only as fast as its endpoint receives them', async () => {
    const period = await insertEvents(175, 'cases.unarchived')
    const answers: (() => void)[] = []
    let isOpen = false
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      async fetch() {
        if (!isOpen) await new Promise<void>((resolve) => answers.push(resolve))
        return new Response('ok')
      },
    })
    const { id } = await endpoint({ events: ['cases.unarchived'], url: `http://127.0.0.1:${server.port}/` })
    await replay(id, period)
    const nextStep = async () =>
      (await owner<{ at: string }[]>`select due_at as at from webhooks.jobs where id = ${id}`)[0]?.at
    await until(async () => (await deliveriesOf(id)).length === 55, { what: 'the first deliveries' })
    const postponed = await nextStep()
    await until(async () => (await nextStep()) !== postponed, { what: 'a step without room' })
    expect((await deliveriesOf(id)).length).toBe(55)
    isOpen = true
    for (const answer of answers) answer()
    expect(await done(id)).toMatchObject({ deliveries: 175 })
    expect(new Set((await deliveriesOf(id)).map((one) => one.event_id)).size).toBe(175)
    await allDelivered(id)
    await remove(id)
    await server.stop(true)
  })

  test('waits while its organization has 20,000 pending deliveries of replays, and another one is 409', async () => {
    const period = await insertEvents(2, 'assignments.archived')
    const [{ id }, { id: second }] = [
      await endpoint({ events: ['assignments.archived'] }),
      await endpoint({ events: ['assignments.archived'] }),
    ]
    const insertPending = (count: number) => owner`
      insert into webhooks.deliveries (
        id, org_id, endpoint_id, event_id, event_time, type, replay, next_attempt_at, created_at)
      select 'dlv_' || gen_random_uuid(), ${org.orgId}, 'wh_paused', gen_random_uuid(), now(), 'cases.created', 1, now(), now()
      from generate_series(1, ${count}::integer)`
    await insertPending(19_951)
    expect((await replay(id, period)).status).toBe(200)
    const [{ at: before } = { at: '' }] = await owner<{ at: string }[]>`
      select due_at as at from webhooks.jobs where id = ${id}`
    await until(
      async () => (await owner`select from webhooks.jobs where id = ${id} and due_at > ${before}`).length === 1,
      { what: 'a step without room' },
    )
    expect((await deliveriesOf(id)).length).toBe(0)
    await insertPending(49)
    expect((await replay(second, period)).body).toMatchObject({
      code: 'limit_reached',
      detail: 'An organization has at most 20000 pending deliveries of replays.',
    })
    const failed = `dlv_${crypto.randomUUID()}`
    await owner`
      insert into webhooks.deliveries
        (id, org_id, endpoint_id, event_id, event_time, type, replay, state, next_attempt_at, created_at, finished_at)
      values (${failed}, ${org.orgId}, ${second}, 'evt_1', now(), 'cases.created', 1, 'FAILED', now(), now(), now())`
    const retry = () => client.post<WebhookDelivery & Problem>(`${OPERATIONS}/deliveries/${failed}/retry`)
    expect((await retry()).body).toMatchObject({ code: 'limit_reached' })
    await owner`delete from webhooks.deliveries where endpoint_id = 'wh_paused'`
    expect((await retry()).body).toMatchObject({ state: 'PENDING' })
    await owner`delete from webhooks.deliveries where id = ${failed}`
    expect(await done(id)).toMatchObject({ deliveries: 2 })
    expect((await replay(second, period)).status).toBe(200)
    expect(await done(second)).toMatchObject({ deliveries: 2 })
    await allDelivered(id)
    await allDelivered(second)
    for (const one of [id, second]) await remove(one)
  })

  test('sends one delivery a minute to an endpoint that fails, until one succeeds', async () => {
    const period = await insertEvents(51, 'cases.updated')
    const { id } = await endpoint({ events: ['cases.updated'] })
    receiver.status = 500
    await owner`update webhooks.endpoints set failures = 5, failing_since = now() where id = ${id}`
    await replay(id, period)
    const wait = async () => {
      const [row] = await owner<{ seconds: number }[]>`
        select extract(epoch from due_at - now())::float as seconds from webhooks.jobs where id = ${id}`
      return row?.seconds ?? 0
    }
    await until(async () => (await deliveriesOf(id)).length === 1, { what: 'the first delivery' })
    const seconds = await until(async () => (await wait()) > 30 && (await wait()), { what: 'the pause' })
    expect([seconds <= 60, (await deliveriesOf(id)).length]).toEqual([true, 1])
    for (const body of [{ description: 'Spare parts' }, { status: 'active' }]) {
      expect((await client.send('PATCH', `${ENDPOINTS}/${id}`, { body })).status).toBe(200)
    }
    expect(await wait()).toBeGreaterThan(20)
    receiver.status = 200
    const [failed] = await list(`endpointId=${id}`)
    await client.post(`${OPERATIONS}/deliveries/${failed?.id}/retry`)
    await finished(id, 'DELIVERED')
    await owner`update webhooks.jobs set due_at = now() where id = ${id}`
    expect(await done(id)).toMatchObject({ deliveries: 51 })
    await remove(id)
    await owner`delete from webhooks.deliveries where endpoint_id = ${id}`
  })

  test('that loses its connections again and again sends each event once', async () => {
    const period = await insertEvents(260, 'assignments.unarchived')
    const { id } = await endpoint({ events: ['assignments.unarchived'] })
    await replay(id, period)
    for (let cut = 1; cut <= 5; cut++) {
      await until(async () => (await deliveriesOf(id)).length >= cut * 50)
      await owner`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'marketplace_webhooks'
          and query ~ 'looked_at|replays' and state <> 'idle'`
    }
    expect(await done(id)).toMatchObject({ deliveries: 260 })
    const rows = await deliveriesOf(id)
    expect([rows.length, new Set(rows.map((one) => one.event_id)).size]).toEqual([260, 260])
    await allDelivered(id)
    await remove(id)
  })

  test('covers what is kept, up to its request', async () => {
    const { id } = await endpoint({ status: 'paused' })
    const { body } = await replay(id, { from: '2020-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' })
    expect(Math.abs(Date.parse(body.from) - (Date.now() - 30 * DAY_MS))).toBeLessThan(60_000)
    expect(body.to).toBe(body.createdTime)
    await remove(id)
    const { id: other } = await endpoint()
    const future = { from: '2999-01-01T00:00:00.000Z', to: '2999-01-02T00:00:00.000Z' }
    expect((await replay(other, future)).body).toMatchObject({ deliveries: 0, from: future.from, to: future.from })
    expect(await done(other)).toMatchObject({ deliveries: 0 })
    const reversed = await replay(other, { from: future.to, to: future.from })
    expect([reversed.status, reversed.body.errors?.[0]?.field]).toEqual([400, 'to'])
    await remove(other)
  })
})

test('of ten requests at once for a replay of one endpoint one succeeds', async () => {
  const period = await insertEvents(1, 'cases.created')
  const { id } = await endpoint({ status: 'paused' })
  const answers = await Promise.all(Array.from({ length: 10 }, () => replay(id, period)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(await list(`endpointId=${id}`)).toEqual([])
  await remove(id)
})

test('the latency from an event to its delivery counts first attempts that succeed, no retry, test event or replay', async () => {
  const figures = async () => {
    const text = await (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
    return ['count', 'sum'].map((figure) =>
      Number(
        new RegExp(`^marketplace_webhook_delivery_latency_seconds_${figure}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1],
      ),
    ) as [number, number]
  }
  const { id } = await endpoint({ events: ['cases.expenses.created', 'cases.expenses.updated'] })
  const [count, sum] = await figures()
  const from = new Date().toISOString()
  await send('cases.expenses.created')
  const [delivered] = await finished(id, 'DELIVERED')
  const [countAfter, sumAfter] = await figures()
  expect(countAfter).toBe(count + 1)
  const latencyMs = (sumAfter - sum) * 1000
  expect(latencyMs).toBeGreaterThanOrEqual(0)
  expect(latencyMs).toBeLessThan(Date.now() - Date.parse(from) + 1)

  expect(
    (await replay(id, { from, to: new Date(Date.parse(delivered?.createdTime ?? '') + 1).toISOString() })).status,
  ).toBe(200)
  await finished(id, 'DELIVERED', 2)
  await client.post(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.expenses.created' })
  await finished(id, 'DELIVERED', 3)
  receiver.status = 500
  await send('cases.expenses.updated')
  const isFailing = async () =>
    (
      await owner`
      select from webhooks.deliveries d join webhooks.attempts a on a.delivery_id = d.id
      where d.endpoint_id = ${id} and d.state = 'PENDING'`
    ).length === 1
  await until(isFailing, { what: 'a failed attempt' })
  receiver.status = 200
  const [failed] = await list(`endpointId=${id}&state=PENDING`)
  await client.post(`${OPERATIONS}/deliveries/${failed?.id}/retry`)
  await finished(id, 'DELIVERED', 4)
  expect((await figures())[0]).toBe(count + 1)
  await remove(id)
})
