import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { marketplaceWithWebhooks, OPERATIONS, type ReceivedRequest } from '../../testing/webhooks.ts'

const { market, org, client, receiver, endpoint, remove, send, list } = await marketplaceWithWebhooks()
const { owner } = market.db

describe('an endpoint', () => {
  test('gets only a test event, whatever it subscribes to', async () => {
    const [tested, other] = [await endpoint({ events: ['assignments.*'] }), await endpoint()]
    const answer = await client.post<WebhookDelivery>(`${OPERATIONS}/endpoints/${tested.id}/test`, {
      type: 'cases.created',
    })
    expect([answer.status, answer.body.type, answer.body.state]).toEqual([200, 'cases.created', 'PENDING'])
    const [entry] = await owner<{ request: object }[]>`
      select request from organization.audit_log
      where procedure = 'webhookEndpoint.test' and request ->> 'id' = ${tested.id}`
    expect(entry?.request).toEqual({ id: tested.id, type: 'cases.created', deliveryId: answer.body.id })
    const [{ headers, body }] = (await until(
      () => receiver.at(tested.path).length === 1 && receiver.at(tested.path),
    )) as [ReceivedRequest]
    expect(new Webhook(tested.secret).verify(body, headers)).toMatchObject({
      type: 'cases.created',
      data: { test: true },
    })
    expect((await client.post<Problem>(`${OPERATIONS}/endpoints/${other.id}/test`, { type: 'cases.*' })).status).toBe(
      400,
    )
    expect(await list(`endpointId=${other.id}`)).toEqual([])
    for (const { id } of [tested, other]) await remove(id)
  })

  test('that is paused keeps 100 test events of its organization, also of requests at once; more are 409', async () => {
    const { id } = await endpoint({ status: 'paused' })
    const test = () => client.post<Problem>(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.created' })
    const answers = await Promise.all(Array.from({ length: 110 }, test))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(answers.filter(({ body }) => body.code === 'limit_reached')).toHaveLength(10)
    await remove(id)
    await owner`delete from webhooks.deliveries where endpoint_id = ${id}`
  })

  test('whose FAILED test events are retried keeps 100 pending ones, also of requests at once; more are 409', async () => {
    const { id } = await endpoint({ status: 'paused' })
    const deliveries = await owner<{ id: string }[]>`
      insert into webhooks.deliveries
        (id, org_id, endpoint_id, event_id, event_time, type, is_test, state, next_attempt_at, created_at)
      select 'dlv_' || replace(gen_random_uuid()::text, '-', ''), ${org.orgId}, ${id}, 'evt_' || n, now(), 'cases.created',
        true, case when n <= 95 then 'PENDING' else 'FAILED' end, now(), now()
      from generate_series(1, 105) n returning id`
    const failed = deliveries.slice(95)
    const retry = (one: { id: string }) => client.post<Problem>(`${OPERATIONS}/deliveries/${one.id}/retry`)
    const answers = await Promise.all(failed.map(retry))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'limit_reached')).toHaveLength(5)
    expect(answers.find(({ status }) => status === 409)?.body.detail).toBe(
      'An organization has at most 100 pending deliveries of test events.',
    )
    const pending = deliveries[0] as { id: string }
    expect((await retry(pending)).status).toBe(200)
    await remove(id)
    await owner`delete from webhooks.deliveries where endpoint_id = ${id}`
  })

  test('whose secret is rotated is signed with both secrets for 24 hours, then with the new one', async () => {
    const { id, path, secret: previous } = await endpoint()
    const rotated = await client.post<{ secret: string; previousSecretExpireTime: string }>(
      `${OPERATIONS}/endpoints/${id}/rotate-secret`,
    )
    const { secret, previousSecretExpireTime } = rotated.body
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const inMs = Date.parse(previousSecretExpireTime) - Date.now()
    expect([inMs > 86_300_000, inMs <= 86_400_000]).toEqual([true, true])
    await send('cases.created')
    const [first] = (await until(() => receiver.at(path).length === 1 && receiver.at(path))) as [ReceivedRequest]
    for (const known of [secret, previous]) new Webhook(known).verify(first.body, first.headers)
    await owner`update webhooks.endpoints set previous_secrets_until = now() where id = ${id}`
    await send('cases.closed')
    const [, second] = (await until(() => receiver.at(path).length === 2 && receiver.at(path))) as ReceivedRequest[]
    expect(second).toBeDefined()
    new Webhook(secret).verify(second?.body as string, second?.headers as Record<string, string>)
    expect(() =>
      new Webhook(previous).verify(second?.body as string, second?.headers as Record<string, string>),
    ).toThrow()
    await remove(id)
  })

  test('whose secret is rotated again within 24 hours is also signed with the earlier secrets', async () => {
    const { id, path, secret: first } = await endpoint()
    const rotate = async () =>
      (await client.post<{ secret: string }>(`${OPERATIONS}/endpoints/${id}/rotate-secret`)).body.secret
    const secrets = [first, await rotate(), await rotate()]
    await send('cases.created')
    const [both] = (await until(() => receiver.at(path).length === 1 && receiver.at(path))) as [ReceivedRequest]
    for (const secret of secrets) new Webhook(secret).verify(both.body, both.headers)
    for (const _ of [1, 2]) secrets.push(await rotate())
    await send('cases.closed')
    const [, last] = (await until(() => receiver.at(path).length === 2 && receiver.at(path))) as ReceivedRequest[]
    const verifies = (secret: string) => {
      try {
        return Boolean(new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {}))
      } catch {
        return false
      }
    }
    expect(secrets.map(verifies)).toEqual([false, true, true, true, true])
    await remove(id)
  })

  test('whose delivery is retried by hand keeps the attempts of its schedule', async () => {
    const { id } = await endpoint()
    receiver.status = 500
    const { body: delivery } = await client.post<WebhookDelivery>(`${OPERATIONS}/endpoints/${id}/test`, {
      type: 'cases.created',
    })
    const state = async () => (await client.get<WebhookDelivery>(`${OPERATIONS}/deliveries/${delivery.id}`)).body
    for (let attempts = 1; attempts <= 14; attempts++) {
      await until(async () => {
        const { items } = (await client.get<Page<WebhookAttempt>>(`${OPERATIONS}/deliveries/${delivery.id}/attempts`))
          .body
        return items[0]?.number === attempts
      })
      expect(await state()).toMatchObject({ state: 'PENDING', attempts })
      await client.post(`${OPERATIONS}/deliveries/${delivery.id}/retry`)
    }
    receiver.status = 200
    await client.post(`${OPERATIONS}/deliveries/${delivery.id}/retry`)
    await until(async () => (await state()).state === 'DELIVERED')
    await remove(id)
  })
})
