import { describe, expect, test } from 'bun:test'
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { entriesOf } from '../../testing/people.ts'

/** Those of the specification, and the types under its wildcards. */
const SUBSCRIPTIONS = [
  ...['cases.*', 'cases.created', 'cases.updated', 'cases.closed', 'cases.archived', 'cases.unarchived'],
  ...['cases.tasks.*', 'cases.tasks.created', 'cases.tasks.updated', 'cases.tasks.completed', 'cases.tasks.deleted'],
  ...['cases.expenses.*', 'cases.expenses.created', 'cases.expenses.updated', 'cases.expenses.deleted'],
  ...['assignments.*', 'assignments.created', 'assignments.updated', 'assignments.status.updated'],
  ...['assignments.archived', 'assignments.unarchived', 'assignments.extensions.created'],
  ...['assignments.contacts.*', 'assignments.contacts.created', 'assignments.contacts.updated'],
  ...['assignments.contacts.deleted', 'assignments.billing-details.*', 'assignments.billing-details.created'],
  ...['assignments.billing-details.updated', 'assignments.billing-details.deleted'],
]

interface Failure {
  error: { code: string; message: string; details?: { field: string; message: string }[] }
}
type Created = { data: CreatedWebhookEndpoint } & Failure
type One = { data: WebhookEndpoint } & Failure

const market = await marketplaceOf(['webhooks'], RACING)
const org = await market.organization(['CONSUMER'])
const stranger = await market.organization(['CONSUMER'])
const { client } = org.administrator
const member = await org.member('Buyer')

const PATH = '/v2.3/webhooks/endpoints'
const GONE = 'There is no such record, or it is outside your scope.'
const VALID = { url: 'https://hooks.example.com/in', events: ['cases.*'] }
const create = (body: object = {}, by = client) => by.post<Created>(PATH, { ...VALID, ...body })
const patch = (id: string, body: unknown, by = client) => by.send<One>('PATCH', `${PATH}/${id}`, { body })
const remove = (id: string, by = client) => by.send<Failure>('DELETE', `${PATH}/${id}`)
const fieldsOf = ({ body }: { body: Failure }) => body.error.details?.map(({ field }) => field)

/** Runs with an endpoint that is deleted afterwards, because an organization has few. */
async function withEndpoint(body: object, work: (endpoint: CreatedWebhookEndpoint) => Promise<void>) {
  const { status, body: answer, text } = await create(body)
  if (status !== 201) throw new Error(text)
  await work(answer.data)
  expect((await remove(answer.data.id)).status).toBe(204)
}

describe('POST /v2.3/webhooks/endpoints', () => {
  test('without status the endpoint is active, and only this response has the secret', () =>
    withEndpoint({ description: 'ERP' }, async ({ secret, ...endpoint }) => {
      expect(endpoint).toMatchObject({ ...VALID, description: 'ERP', status: 'active' })
      expect(endpoint.id).toMatch(/^wh_[0-9A-Z]{26}$/)
      expect(endpoint.created_at).toBe(endpoint.updated_at)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      for (const { status, text } of [
        await client.get(`${PATH}/${endpoint.id}`),
        await client.get(PATH),
        await patch(endpoint.id, { description: 'ERP 2' }),
      ]) {
        expect(status).toBe(200)
        expect(text).not.toContain('whsec_')
      }
    }))

  test.each(['active', 'paused'] as const)('with status %s the endpoint has it', (status) =>
    withEndpoint({ status }, async (endpoint) => {
      expect(endpoint.status).toBe(status)
    }),
  )

  test('the answer is never cached and has a secret of its own', async () => {
    const answers = await Promise.all([create(), create()])
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store'])
    expect(new Set(answers.map(({ body }) => body.data.secret)).size).toBe(2)
    for (const { body } of answers) await remove(body.data.id)
  })

  test('the secret is stored encrypted, and the audit entry has neither it nor the path of the URL', () =>
    withEndpoint({ url: 'https://hooks.example.com/in/7f3a91' }, async ({ id, secret }) => {
      const [row] = await market.db.owner<{ secret: string }[]>`select secret from webhooks.endpoints where id = ${id}`
      expect(row?.secret).not.toContain(secret.slice(6))
      const box = await createSecretBox(market.config.ENCRYPTION_KEYS)
      expect(await box.decrypt(row?.secret as string)).toBe(secret)
      const entries = JSON.stringify(await entriesOf(market, org.orgId, 'webhookEndpoint.create'))
      expect(entries).toContain('hooks.example.com')
      expect(entries).not.toContain(secret.slice(6))
      expect(entries).not.toContain('7f3a91')
    }))

  test('every event type and wildcard of the contract is accepted, and repeated ones are merged', () =>
    withEndpoint({ events: [...SUBSCRIPTIONS, 'cases.*'] }, async ({ events }) => {
      expect<string[]>(events).toEqual(SUBSCRIPTIONS)
    }))

  test.each([
    ['an unknown event type', { events: ['cases.exploded'] }, ['events.0']],
    ['a wildcard of its own', { events: ['*'] }, ['events.0']],
    ['no event types', { events: [] }, ['events']],
    ['51 event types', { events: Array(51).fill('cases.*') }, ['events']],
    ['an unknown status', { status: 'deleted' }, ['status']],
    ['a null description', { description: null }, ['description']],
    ['an unknown field', { secret: 'whsec_x' }, ['secret']],
    ['a URL that is none', { url: 'nonsense' }, ['url']],
    ['plain http', { url: 'http://hooks.example.com' }, ['url']],
    ['another scheme', { url: 'ftp://hooks.example.com' }, ['url']],
    ['credentials', { url: 'https://user:pass@hooks.example.com' }, ['url']],
    ['a fragment', { url: 'https://hooks.example.com/#a' }, ['url']],
    ['2,049 characters', { url: `https://hooks.example.com/${'a'.repeat(2023)}` }, ['url']],
    ...[
      ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '[::1]', '[::ffff:7f00:1]', '[fd00::1]'],
      ...['2130706433', '0x7f.1', '0177.0.0.1', 'localhost', 'localhost.', 'a.localhost', '[64:ff9b::7f00:1]'],
    ].map((host) => [`the address ${host}`, { url: `https://${host}/in` }, ['url']] as const),
  ] as const)('%s is 422 validation_error with its field', async (_, body, fields) => {
    const answer = await create(body)
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_error'])
    expect(fieldsOf(answer)).toEqual([...fields])
  })

  test('a missing url and missing events are 422, both named', async () => {
    const answer = await client.post<Created>(PATH, {})
    expect([answer.status, fieldsOf(answer)?.sort()]).toEqual([422, ['events', 'url']])
  })

  test('of 25 requests at once 20 succeed and the others are 409 limit_reached', async () => {
    const crowded = await market.organization(['CONSUMER'])
    const answers = await Promise.all(Array.from({ length: 25 }, () => create({}, crowded.administrator.client)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(Array(5).fill([409, 'limit_reached']))
    const { body } = await crowded.administrator.client.get<{ data: WebhookEndpoint[] }>(PATH)
    expect(body.data).toHaveLength(20)
  })
})

describe('GET /v2.3/webhooks/endpoints', () => {
  test('lists all endpoints of the organization, newest first, and none of another', async () => {
    const [first, second] = [await create(), await create({ description: 'second' })]
    const foreign = await create({}, stranger.administrator.client)
    const { status, body } = await client.get<{ data: WebhookEndpoint[] }>(PATH)
    const strip = ({ secret, ...endpoint }: CreatedWebhookEndpoint): WebhookEndpoint => endpoint
    expect([status, body.data]).toEqual([200, [strip(second.body.data), strip(first.body.data)]])
    await remove(first.body.data.id)
    await remove(second.body.data.id)
    await remove(foreign.body.data.id, stranger.administrator.client)
    expect((await client.get<{ data: WebhookEndpoint[] }>(PATH)).body).toEqual({ data: [] })
  })
})

describe('PATCH /v2.3/webhooks/endpoints/{webhookId}', () => {
  test('changes the fields that are sent, and keeps the others', () =>
    withEndpoint({ description: 'ERP' }, async ({ secret, ...endpoint }) => {
      const changed = await patch(endpoint.id, { url: 'https://other.example.com', events: ['assignments.*'] })
      const { updated_at, ...rest } = changed.body.data
      const { updated_at: before, ...original } = endpoint
      expect([changed.status, rest]).toEqual([
        200,
        { ...original, url: 'https://other.example.com', events: ['assignments.*'] },
      ])
      expect(updated_at > before).toBe(true)
      expect((await client.get<One>(`${PATH}/${endpoint.id}`)).body).toEqual(changed.body)
    }))

  test.each([['active'], ['paused']] as const)(
    'status %s is set from either status, and updated_at changes',
    (status) =>
      withEndpoint({}, async ({ id, updated_at }) => {
        const once = (await patch(id, { status })).body.data
        const twice = (await patch(id, { status })).body.data
        expect([once.status, twice.status]).toEqual([status, status])
        expect([once.updated_at > updated_at, twice.updated_at > once.updated_at]).toEqual([true, true])
      }),
  )

  test('an empty patch changes nothing, not even updated_at', () =>
    withEndpoint({}, async ({ secret, ...endpoint }) => {
      const { status, body } = await patch(endpoint.id, {})
      expect([status, body.data]).toEqual([200, endpoint])
    }))

  test('an empty description clears it, here and at the creation', () =>
    withEndpoint({ description: 'ERP' }, async ({ id }) => {
      const cleared = await patch(id, { description: '' })
      expect([cleared.status, 'description' in cleared.body.data]).toEqual([200, false])
      expect((await client.get<One>(`${PATH}/${id}`)).body).toEqual(cleared.body)
      expect((await patch(id, { description: 'ERP 2' })).body.data.description).toBe('ERP 2')
      await withEndpoint({ description: '' }, async (created) => expect('description' in created).toBe(false))
    }))

  test.each([
    ['a private address', { url: 'https://10.1.2.3' }, 'url'],
    ['an unknown event type', { events: ['parts.created'] }, 'events.0'],
    ['an unknown status', { status: 'broken' }, 'status'],
    ['null', { description: null }, 'description'],
  ] as const)('%s is 422 and changes nothing', (_, body, field) =>
    withEndpoint({}, async ({ secret, ...endpoint }) => {
      const answer = await patch(endpoint.id, body)
      expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]])
      expect((await client.get<One>(`${PATH}/${endpoint.id}`)).body.data).toEqual(endpoint)
    }),
  )
})

describe('DELETE /v2.3/webhooks/endpoints/{webhookId}', () => {
  test('answers 204 without a body, and the endpoint is gone', async () => {
    const { id } = (await create()).body.data
    const { status, text } = await remove(id)
    expect([status, text]).toEqual([204, ''])
    const answers = [await client.get<Failure>(`${PATH}/${id}`), await patch(id, {}), await remove(id)]
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(Array(3).fill([404, 'not_found']))
  })
})

describe('every operation on endpoints', () => {
  test("another organization's endpoint is 404 not_found, like an unknown and a malformed id, and stays", () =>
    withEndpoint({}, async ({ secret, ...endpoint }) => {
      const by = stranger.administrator.client
      for (const id of [endpoint.id, 'wh_00000000000000000000000000', '%20', 'a'.repeat(65)]) {
        for (const answer of [
          await by.get<Failure>(`${PATH}/${id}`),
          await patch(id, { status: 'paused' }, by),
          await remove(id, by),
        ]) {
          expect([answer.status, answer.body.error]).toEqual([404, { code: 'not_found', message: GONE }])
        }
      }
      expect((await client.get<One>(`${PATH}/${endpoint.id}`)).body.data).toEqual(endpoint)
    }))

  test('a caller without webhook:manage is 403 forbidden', () =>
    withEndpoint({}, async ({ id }) => {
      for (const answer of [
        await member.client.get<Failure>(PATH),
        await create({}, member.client),
        await member.client.get<Failure>(`${PATH}/${id}`),
        await patch(id, {}, member.client),
        await remove(id, member.client),
      ]) {
        expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
      }
    }))

  test('a request without a token is 401 unauthorized', async () => {
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['DELETE', `${PATH}/wh_1`],
    ] as const) {
      const { status, body } = await market.anonymous.send<Failure>(method, path)
      expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    }
  })
})
