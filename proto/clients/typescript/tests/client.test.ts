import { afterAll, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../../services/testing/free-port.ts'
import { testMarketplace } from '../../../../services/testing/marketplace.ts'
import { createdAccount, createdKey } from '../../../../services/testing/service-accounts.ts'
import { until } from '../../../../services/testing/until.ts'
import {
  ApiError,
  createMarketplace,
  ifMatch,
  serviceAccount,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../src/index.ts'

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const running = await testMarketplace({ PORT: String(port), PUBLIC_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' })
const { administrator } = await running.organization(['IP_OWNER', 'CONSUMER'])
const { body: roles } = await administrator.client.get<{ items: { id: string; name: string }[] }>('/v1/roles')
const roleIds = roles.items.filter(({ name }) => name === 'Administrator').map(({ id }) => id)
const account = await createdAccount(administrator.client, { roleIds })
const market = createMarketplace({
  url: `${url}/`,
  credentials: serviceAccount(await createdKey(administrator.client, account.id)),
})
const createPart = async (title: string) => (await market.POST('/v1/parts', { body: { title } })).data.id
const errorOf = (request: Promise<unknown>): Promise<ApiError> =>
  request.then(
    () => Promise.reject(new Error('the request succeeded')),
    (error) => error,
  )

describe('an error response is an ApiError', () => {
  test('of /v1, with the code, the fields and the request id', async () => {
    const header = { 'X-Request-Id': 'req-7' }
    const error = await errorOf(market.POST('/v1/parts', { body: { title: '' }, params: { header } }))
    expect(error).toBeInstanceOf(ApiError)
    const { status, code, fields, requestId } = error
    expect({ status, code, requestId }).toEqual({ status: 400, code: 'validation_error', requestId: 'req-7' })
    expect(fields.map(({ field }) => field)).toEqual(['title'])
    expect(error.detail).toStartWith('title: ')
    expect(error.message).toBe(`POST /v1/parts answered 400: ${error.detail}`)
  })

  test('of /v2.3, with the same members', async () => {
    const body = { url: 'https://hooks.example.com', events: ['cases.unknown' as 'cases.*'] }
    const error = await errorOf(market.POST('/v2.3/webhooks/endpoints', { body }))
    expect([error.status, error.code, error.fields[0]?.field]).toEqual([422, 'validation_error', 'events.0'])
    expect(error.requestId).toMatch(/./)
  })

  test('of something else than a marketplace, without a code', async () => {
    using server = Bun.serve({ port: 0, fetch: () => new Response('<h1>Bad gateway</h1>', { status: 502 }) })
    const error = await errorOf(createMarketplace({ url: `http://127.0.0.1:${server.port}` }).GET('/v1/parts'))
    expect([error.status, error.code, error.fields]).toEqual([502, undefined, []])
  })

  test('of a page of HTML with status 200', async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    using server = Bun.serve({ port: 0, fetch: () => new Response('<h1>Sign in</h1>', { headers }) })
    const error = await errorOf(createMarketplace({ url: `http://127.0.0.1:${server.port}` }).GET('/v1/parts'))
    expect(error).toBeInstanceOf(ApiError)
    expect(error.message).toBe('GET /v1/parts answered 200: a page of HTML, which is not of the marketplace')
  })
})

describe('pages', () => {
  test('are read one after the other, and only as far as needed', async () => {
    const titles = Array.from({ length: 53 }, (_, n) => `Paged ${n}`)
    for (const title of titles) await createPart(title)
    const query = { view: 'IP_OWNER', q: 'Paged' } as const
    const found: string[] = []
    for await (const part of market.pages('/v1/parts', { params: { query } })) found.push(part.title ?? '')
    expect(found).toEqual(titles.toReversed())
    for await (const part of market.pages('/v1/parts', { params: { query: { ...query, pageSize: 2 } } })) {
      expect(part.title).toBe('Paged 52')
      break
    }
  })
})

test('ifMatch refuses a change of a record that has changed since', async () => {
  const id = await createPart('Impeller')
  const path = { id }
  const { response } = await market.GET('/v1/parts/{id}', { params: { path } })
  const patch = (title: string) =>
    market.PATCH('/flows/v1/parts/{id}', { params: { path, header: ifMatch(response) }, body: { title } })
  expect((await patch('Rotor')).data.title).toBe('Rotor')
  const error = await errorOf(patch('Stator'))
  expect([error.status, error.code]).toEqual([412, 'precondition_failed'])
  expect(() => ifMatch(new Response())).toThrow('The response has no ETag.')
})

test('the answer of a deletion is undefined', async () => {
  const path = { id: await createPart('Impeller') }
  const { data } = await market.DELETE('/flows/v1/parts/{id}', { params: { path } })
  const nothing: undefined = data
  expect(nothing).toBeUndefined()
})

test.each(['', 'localhost:8080', 'ftp://market.example.com'])('the address %p is refused at once', (address) => {
  expect(() => createMarketplace({ url: address })).toThrow(`'${address}' is no address such as https://`)
})

test('upload sends a file by one call, which a part then has', async () => {
  const id = await createPart('Impeller')
  const bytes = new TextEncoder().encode('solid impeller')
  const upload = await market.upload(new Blob([bytes]), { name: 'impeller.stl' })
  const path = { id }
  await market.PATCH('/v1/parts/{id}/files', {
    params: { path },
    body: { add: [{ uploadId: upload.id, group: 'document' }] },
  })
  const { data } = await market.GET('/v1/parts/{id}/files', { params: { path } })
  expect(data.items.map(({ name, state, size }) => [name, state, size])).toEqual([['impeller.stl', 'READY', 14]])
  expect(await (await fetch(data.items[0]?.downloadUrl ?? '')).text()).toBe('solid impeller')
})

test('a file of another media type is read as text', async () => {
  const { data } = await market.GET('/flows/v1/audit-log/export', { parseAs: 'text' })
  expect(data.split('\n')[0]).toContain('procedure')
})

describe('verifyWebhook', () => {
  const received: { headers: Headers; body: string }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      received.push({ headers: request.headers, body: await request.text() })
      return new Response()
    },
  })
  afterAll(() => server.stop(true))

  test('answers the event of a delivery, by its type', async () => {
    const address = `http://127.0.0.1:${server.port}/hooks`
    const { data: created } = await market.POST('/v2.3/webhooks/endpoints', {
      body: { url: address, events: ['cases.created'] },
    })
    const secret = created.data.secret ?? ''
    const { data: made } = await market.POST('/flows/v1/cases', { body: { kind: 'QUALITY', title: 'Scratches' } })
    await until(() => received.length > 0)
    const [{ headers, body } = { headers: new Headers(), body: '' }] = received
    const event: WebhookEvent = verifyWebhook(secret, headers, body)
    if (event.type !== 'cases.created') throw new Error(event.type)
    expect(event.data.case.id).toBe(made.id)
    expect(verifyWebhook(secret, Object.fromEntries(headers), new TextEncoder().encode(body))).toEqual(event)
    const refused = () => verifyWebhook(secret, headers, body.replace('Scratches', 'scratches'))
    expect(refused).toThrow(WebhookVerificationError)
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    expect(() => verifyWebhook(other, headers, body)).toThrow(WebhookVerificationError)
  })

  test('refuses a delivery that is older than five minutes', () => {
    const secret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
    const signed = (ageMs: number) => {
      const at = new Date(Date.now() - ageMs)
      const signature = new Webhook(secret).sign('evt_1', at, '{}')
      const seconds = String(Math.floor(at.getTime() / 1000))
      return { 'webhook-id': 'evt_1', 'webhook-timestamp': seconds, 'webhook-signature': signature }
    }
    expect(verifyWebhook(secret, signed(60_000), '{}')).toEqual({} as WebhookEvent)
    expect(() => verifyWebhook(secret, signed(310_000), '{}')).toThrow(WebhookVerificationError)
  })
})
