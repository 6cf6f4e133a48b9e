import { describe, expect, test } from 'bun:test'
import type { WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { marketplaceWithWebhooks, OPERATIONS } from '../../testing/webhooks.ts'

const { market, org, client, receiver, endpoint, list, remove, send, finished } = await marketplaceWithWebhooks({
  DATABASE_POOL_SIZE: '4',
})
const { owner } = market.db
const stranger = await market.organization(['CONSUMER'])
const member = await org.member('Buyer')

describe('deliveries', () => {
  test('of replays that FAILED are retried up to 20,000 pending ones, also by requests at once; more are 409', async () => {
    const { id } = await endpoint({ status: 'paused' })
    const failed = Array.from({ length: 10 }, (_, n) => `dlv_failed_${n}`)
    await owner`
      insert into webhooks.deliveries (
        id, org_id, endpoint_id, event_id, event_time, type, replay, state, next_attempt_at, created_at)
      select 'dlv_' || gen_random_uuid(), ${org.orgId}, ${id}, 'evt_' || n, now(), 'cases.created', 1, 'PENDING',
        now(), now()
      from generate_series(1, 19999) n
      union all
      select id, ${org.orgId}, ${id}, id, now(), 'cases.created', 1, 'FAILED', now(), now()
      from unnest(${failed}::text[]) id`
    await owner`analyze webhooks.deliveries`
    const answers = await Promise.all(
      failed.map((one) => client.post<Problem>(`${OPERATIONS}/deliveries/${one}/retry`)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'limit_reached')).toHaveLength(9)
    await remove(id)
    await owner`delete from webhooks.deliveries where endpoint_id = ${id}`
  })

  test('are listed newest first with each filter, and have their attempts', async () => {
    const { id, path } = await endpoint()
    const before = new Date().toISOString()
    await send('cases.created')
    await finished(id, 'DELIVERED')
    await send('cases.closed')
    const items = await finished(id, 'DELIVERED', 2)
    const after = new Date(Date.now() + 1).toISOString()
    expect(items.map(({ type, state, attempts, replay }) => [type, state, attempts, replay])).toEqual([
      ['cases.closed', 'DELIVERED', 1, 0],
      ['cases.created', 'DELIVERED', 1, 0],
    ])
    const [newest, oldest] = items as [WebhookDelivery, WebhookDelivery]
    expect(newest.eventId).toBe(receiver.at(path)[1]?.headers['webhook-id'] as string)
    for (const [query, expected] of [
      [`endpointId=${id}&type=cases.closed`, [newest]],
      [`endpointId=${id}&state=PENDING`, []],
      [`endpointId=${id}&state=FAILED`, []],
      [`endpointId=${id}&state=DELIVERED`, items],
      [`endpointId=${id}&state=DELIVERED&type=cases.created`, [oldest]],
      [`state=DELIVERED&type=cases.closed&from=${before}`, [newest]],
      [`type=cases.closed&from=${before}`, [newest]],
      [`state=FAILED&from=${before}`, []],
      [`from=${before}`, items],
      [`endpointId=${id}&from=${before}&to=${after}`, items],
      [`endpointId=${id}&from=${after}`, []],
      [`endpointId=${id}&to=${before}`, []],
      ['endpointId=wh_00000000000000000000000000', []],
    ] as const) {
      expect([query, await list(query)]).toEqual([query, [...expected]])
    }
    expect((await client.get(`${OPERATIONS}/deliveries/${oldest.id}`)).body).toEqual(oldest as never)
    const attempts = await client.get<Page<WebhookAttempt>>(`${OPERATIONS}/deliveries/${oldest.id}/attempts`)
    expect(attempts.body).toEqual({
      items: [
        {
          number: 1,
          startedTime: expect.any(String),
          durationMs: expect.any(Number),
          status: 200,
          response: 'answer 200',
        },
      ],
      hasMore: false,
    })
    await remove(id)
  })

  test('an undeclared type or state is 400, and pages continue one another', async () => {
    for (const query of ['type=cases.exploded', 'state=SENT', 'from=yesterday']) {
      expect((await client.get<Problem>(`${OPERATIONS}/deliveries?${query}`)).status).toBe(400)
    }
    const { id } = await endpoint()
    for (const type of ['cases.created', 'cases.updated', 'cases.closed']) await send(type)
    const all = await finished(id, 'DELIVERED', 3)
    const pages = []
    for (const page of [1, 2, 3]) {
      const query = `endpointId=${id}&pageSize=1&page=${page}`
      pages.push((await client.get<Page<WebhookDelivery>>(`${OPERATIONS}/deliveries?${query}`)).body.items)
    }
    expect(pages.flat().map((one) => one.id)).toEqual(all.map((one) => one.id))
    await remove(id)
  })

  test('of all states are listed newest first, on every page', async () => {
    const { id } = await endpoint({ status: 'paused' })
    const states = ['DELIVERED', 'FAILED', 'PENDING', 'FAILED', 'DELIVERED', 'DELIVERED', 'PENDING']
    await owner`
      insert into webhooks.deliveries
        (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at)
      select 'dlv_of_all_' || n, ${org.orgId}, ${id}, 'evt_' || n, now(), 'cases.created', state, now(),
        now() + n / 2 * interval '1 second'
      from unnest(${states}::text[]) with ordinality of (state, n)`
    const pages = []
    for (const page of [1, 2, 3, 4]) {
      const query = `endpointId=${id}&pageSize=2&page=${page}`
      pages.push((await client.get<Page<WebhookDelivery>>(`${OPERATIONS}/deliveries?${query}`)).body)
    }
    expect(pages.map(({ items, hasMore }) => [items.map((one) => Number(one.id.slice(-1))), hasMore])).toEqual([
      [[7, 6], true],
      [[5, 4], true],
      [[3, 2], true],
      [[1], false],
    ])
    const skipped = await client.get<Page<WebhookDelivery>>(
      `${OPERATIONS}/deliveries?endpointId=${id}&pageSize=3&page=2`,
    )
    expect(skipped.body.items.map((one) => one.id)).toEqual(['dlv_of_all_4', 'dlv_of_all_3', 'dlv_of_all_2'])
    await remove(id)
  })

  test('that are listed slowly leave connections for other organizations', async () => {
    const lock = await owner.reserve()
    await lock`begin`
    await lock`lock table webhooks.deliveries in access exclusive mode`
    const lists = Array.from({ length: 10 }, () => client.get(`${OPERATIONS}/deliveries`))
    await until(
      async () =>
        (
          await owner`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query ~ 'unnest.*states'`
        ).length > 0,
    )
    expect((await stranger.administrator.client.get('/v2.3/webhooks/endpoints')).status).toBe(200)
    await lock`commit`
    lock.release()
    expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(10).fill(200))
  })

  test('a FAILED one is retried once more; a DELIVERED one and one of a deleted endpoint are 409', async () => {
    const { id, path } = await endpoint()
    receiver.status = 500
    await send('cases.created')
    await until(() => receiver.at(path).length === 1, { what: 'the first attempt' })
    await until(
      async () =>
        (
          await owner`select from webhooks.attempts a join webhooks.deliveries d on d.id = delivery_id
        where endpoint_id = ${id}`
        ).length === 1,
    )
    const [{ id: deliveryId }] = (await list(`endpointId=${id}`)) as [WebhookDelivery]
    await owner`update webhooks.deliveries set attempt = 12, state = 'FAILED', finished_at = now() where id = ${deliveryId}`
    receiver.status = 200
    const retry = () => client.post<WebhookDelivery & Problem>(`${OPERATIONS}/deliveries/${deliveryId}/retry`)
    const retried = await retry()
    expect([retried.status, retried.body.state, retried.body.finishedTime]).toEqual([200, 'PENDING', undefined])
    await finished(id, 'DELIVERED')
    expect(receiver.at(path)).toHaveLength(2)
    expect((await retry()).body.code).toBe('illegal_transition')
    await remove(id)
    await owner`update webhooks.deliveries set state = 'FAILED' where id = ${deliveryId}`
    expect((await retry()).body.code).toBe('illegal_transition')
  })
})

describe('every operation', () => {
  test("another organization's delivery and endpoint are 404, and a caller without webhook:manage is 403", async () => {
    const { id } = await endpoint()
    const delivery = await client.post<WebhookDelivery>(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.created' })
    const calls = [
      ['GET', `/deliveries/${delivery.body.id}`],
      ['GET', `/deliveries/${delivery.body.id}/attempts`],
      ['POST', `/deliveries/${delivery.body.id}/retry`],
      ['GET', `/endpoints/${id}`],
      ['POST', `/endpoints/${id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
      ['POST', `/endpoints/${id}/test`, { type: 'cases.created' }],
      ['POST', `/endpoints/${id}/rotate-secret`],
    ] as const
    for (const [method, path, body] of calls) {
      const foreign = await stranger.administrator.client.send<Problem>(method, `${OPERATIONS}${path}`, { body })
      const forbidden = await member.client.send<Problem>(method, `${OPERATIONS}${path}`, { body })
      expect([path, foreign.status, forbidden.status]).toEqual([path, 404, 403])
    }
    const { body } = await stranger.administrator.client.get<Page<WebhookDelivery>>(`${OPERATIONS}/deliveries`)
    expect(body.items).toEqual([])
    await remove(id)
  })
})
