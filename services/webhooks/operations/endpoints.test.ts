import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { ENDPOINTS, marketplaceWithWebhooks, OPERATIONS, type ReceivedRequest } from '../../testing/webhooks.ts'

const { market, org, client, receiver, endpoint, remove, send, finished, list } = await marketplaceWithWebhooks()
const { owner } = market.db

describe('an endpoint', () => {
  test('gets the events of a period again with the same ids, also those that it missed while it was paused', async () => {
    const { id, path } = await endpoint()
    const from = new Date().toISOString()
    await send('cases.created')
    await finished(id, 'DELIVERED')
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'paused' } })
    await send('cases.closed')
    await send('assignments.created')
    await until(
      async () =>
        (
          await owner`
      select from webhooks.events where org_id = ${org.orgId} and type = 'assignments.created'`
        ).length === 1,
    )
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active' } })
    const period = { from, to: new Date(Date.now() + 1000).toISOString() }
    const answer = await client.post<{ deliveries: number }>(`${OPERATIONS}/endpoints/${id}/replay`, period)
    expect([answer.status, answer.body]).toEqual([200, { deliveries: 2 }])
    const items = await finished(id, 'DELIVERED', 3)
    expect(items.map(({ type, replay }) => `${type} ${replay}`).sort()).toEqual([
      'cases.closed 0',
      'cases.created 0',
      'cases.created 1',
    ])
    const bodies = receiver.at(path).map(({ body }) => JSON.parse(body) as { id: string; type: string })
    expect(new Set(bodies.map((body) => body.id)).size).toBe(2)
    const reversed = await client.post<Problem>(`${OPERATIONS}/endpoints/${id}/replay`, { from: period.to, to: from })
    expect([reversed.status, reversed.body.errors?.[0]?.field]).toEqual([400, 'to'])
    await remove(id)
  })

  test('gets a test event alone, whatever it subscribes to, and no replay sends it to others', async () => {
    const [tested, other] = [await endpoint({ events: ['assignments.*'] }), await endpoint()]
    const from = new Date().toISOString()
    const answer = await client.post<WebhookDelivery>(`${OPERATIONS}/endpoints/${tested.id}/test`, {
      type: 'cases.created',
    })
    expect([answer.status, answer.body.type, answer.body.state]).toEqual([200, 'cases.created', 'PENDING'])
    const [{ headers, body }] = (await until(
      () => receiver.at(tested.path).length === 1 && receiver.at(tested.path),
    )) as [ReceivedRequest]
    expect(new Webhook(tested.secret).verify(body, headers)).toMatchObject({
      type: 'cases.created',
      data: { test: true },
    })
    const period = { from, to: new Date(Date.now() + 1000).toISOString() }
    const replay = await client.post<{ deliveries: number }>(`${OPERATIONS}/endpoints/${other.id}/replay`, period)
    expect(replay.body).toEqual({ deliveries: 0 })
    expect((await client.post<Problem>(`${OPERATIONS}/endpoints/${other.id}/test`, { type: 'cases.*' })).status).toBe(
      400,
    )
    for (const { id } of [tested, other]) await remove(id)
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

  test('whose secret is rotated again within 24 hours is signed with the earlier secrets, too', async () => {
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

  test('replays of the same period at the same time each send every event', async () => {
    const { id, path } = await endpoint()
    const from = new Date(Date.now() - 1000).toISOString()
    await send('cases.created')
    await until(() => receiver.at(path).length === 1)
    const to = new Date(Date.now() + 1000).toISOString()
    const replays = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.post<{ deliveries: number }>(`${OPERATIONS}/endpoints/${id}/replay`, { from, to }),
      ),
    )
    const counts = new Set(replays.map(({ body }) => body.deliveries))
    expect(counts.size).toBe(1)
    expect([...counts][0]).toBeGreaterThanOrEqual(1)
    const sent = replays.length * ([...counts][0] ?? 0)
    await until(() => receiver.at(path).length === 1 + sent, { what: 'all replays' })
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

  test('shows its failures and the reason of its pause, which an activation clears', async () => {
    const { id } = await endpoint()
    const health = async () => (await client.get<WebhookEndpointHealth>(`${OPERATIONS}/endpoints/${id}`)).body
    expect(await health()).toEqual({ id, status: 'active', failures: 0, lastSuccessTime: expect.any(String) })
    receiver.status = 410
    await send('cases.created')
    await until(async () => (await health()).status === 'paused', { what: 'the pause' })
    receiver.status = 200
    expect(await health()).toMatchObject({ failures: 1, pauseReason: 'The receiver answered 410 Gone.' })
    const waiting = async () => (await list(`endpointId=${id}&state=PENDING`))[0]?.nextAttemptTime
    expect(await waiting()).toBeUndefined()
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active' } })
    expect(await waiting()).toEqual(expect.any(String))
    expect(await health()).toEqual({ id, status: 'active', failures: 0, lastSuccessTime: expect.any(String) })
    await remove(id)
  })
})
