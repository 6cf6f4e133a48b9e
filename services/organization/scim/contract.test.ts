import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../../proto/http/operations.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { GROUP, scimAccount, scimWorld, USER } from '../../testing/scim.ts'

/** The rules of every operation of SCIM: errors, versions, and what the service says of itself. */
const { market, admin, domain, full } = await scimWorld()
const none = await scimAccount(market, admin, [])
const base = `${market.config.PUBLIC_URL}/scim/v2`
const newUser = (more: object = {}) => ({ schemas: [USER], userName: `${crypto.randomUUID()}@${domain}`, ...more })
const user = await full.created('/Users', newUser())
const group = await full.created('/Groups', { schemas: [GROUP], displayName: 'Planners' })
const errorOf = (status: number, detail: string, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail,
})

describe('every operation', () => {
  const operations = OPERATIONS.organization.filter(({ scim }) => scim)
  const bodies: Record<string, object> = {
    createScimUser: newUser(),
    replaceScimUser: newUser(),
    patchScimUser: { Operations: [{ op: 'replace', path: 'active', value: false }] },
    createScimGroup: { displayName: 'Mine' },
    replaceScimGroup: { displayName: 'Mine' },
    patchScimGroup: { Operations: [{ op: 'replace', path: 'displayName', value: 'Mine' }] },
  }

  test('is one of sixteen', () => expect(operations.length).toBe(16))

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s is 401, 400, 403 or 405 in the form of SCIM',
    async (id, { method, path }) => {
      const ids: Record<string, string> = { Users: user.id, Groups: group.id, ResourceTypes: 'User' }
      const target = path.replace('{id}', ids[path.split('/')[3] ?? ''] ?? '')
      const options = bodies[id] === undefined ? {} : { body: bodies[id] }
      const answers = {
        401: await market.anonymous.send(method, target, options),
        400: await full.api.send(method, `${target}?unbekannt=geheim`, options),
        403: await none.api.send(method, target, options),
        405: await full.api.send('PROPFIND', target),
      }
      for (const [status, answer] of Object.entries(answers)) {
        expect([status, String(answer.status)]).toEqual([status, status])
        expect(answer.headers.get('content-type')).toBe('application/scim+json')
        expect(answer.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status })
        expect(answer.text).not.toContain('geheim')
      }
      expect(answers[401].headers.get('www-authenticate')).toStartWith('Bearer')
      expect(answers[405].headers.get('allow')).toContain(method)
    },
  )
})

describe('an error', () => {
  test('of an unknown path, and of a slash too many, is 404', async () => {
    for (const path of ['/Nope', '/Users/', '/Bulk', '/Me', '']) {
      const { status, body, headers } = await full.get(path)
      expect([path, status, body.status]).toEqual([path, 404, '404'])
      expect(headers.get('content-type')).toBe('application/scim+json')
    }
  })

  test('of an unknown or malformed id is 404', async () => {
    for (const id of ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', 'x'.repeat(65), '%00', '..%2f', '%27%20or%201=1']) {
      const { status, body } = await full.get(`/Users/${id}`)
      expect<object>([status, body]).toEqual([
        404,
        errorOf(404, 'There is no such record, or it is outside your scope.'),
      ])
    }
  })

  test.each([
    ['{', 400, 'invalidSyntax'],
    ['[]', 400, 'invalidSyntax'],
    ['"x"', 400, 'invalidSyntax'],
    ['', 400, 'invalidSyntax'],
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 400, 'invalidSyntax'],
    [`{"schemas":5}`, 400, 'invalidSyntax'],
    ['{"schemas":[]}', 400, 'invalidValue'],
    [`{"userName":"${'x'.repeat(1024 * 1024)}"}`, 413, undefined],
  ])('of the body %.20s is %d', async (body, status, scimType) => {
    const answer = await full.post('/Users', body)
    expect([answer.status, answer.body.status, answer.body.scimType]).toEqual([status, String(status), scimType])
    expect(answer.headers.get('content-type')).toBe('application/scim+json')
  })

  test('of another media type is 415; JSON, and SCIM with a charset, are accepted', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/scim+xml',
      'application/scim+json; charset=latin1',
    ]) {
      const { status, body } = await full.post('/Users', newUser(), { 'content-type': type })
      expect<object>([status, body]).toEqual([
        415,
        errorOf(415, 'Send the body as application/scim+json or application/json.'),
      ])
    }
    for (const type of ['application/json', 'application/scim+json; charset=utf-8', 'Application/SCIM+JSON'])
      expect((await full.post('/Users', newUser(), { 'content-type': type })).status).toBe(201)
    const other = await admin.post('/v1/parts', { title: 'Impeller' }, { 'content-type': 'application/scim+json' })
    expect(other.status).toBe(415)
  })

  test('of too many requests is 429 with Retry-After', async () => {
    const small = await marketplaceOf(['sourcing'], { RATE_LIMIT_PER_SECOND: '5', RATE_LIMIT_BURST: '20' })
    const org = await small.organization(['CONSUMER'])
    const scim = await scimAccount(small, org.administrator.client)
    const answers = await Promise.all(Array.from({ length: 40 }, () => scim.get('/Users')))
    const refused = answers.find(({ status }) => status === 429)
    expect([refused?.headers.get('retry-after'), refused?.body.status]).toEqual(['1', '429'])
    expect(refused?.headers.get('content-type')).toBe('application/scim+json')
  })
})

describe('a version', () => {
  test.each([
    ['/Users', () => newUser(), { op: 'replace', path: 'name.givenName', value: 'Ida' }],
    ['/Groups', () => ({ displayName: crypto.randomUUID() }), { op: 'add', path: 'externalId', value: 'v-1' }],
  ])('of %s is the entity tag, and If-Match refuses an older one', async (path, make, operation) => {
    const created = await full.post(path, make())
    const { id, meta } = created.body
    const at = `${path}/${id}`
    const body = { Operations: [operation] }
    expect(created.headers.get('etag')).toBe(meta.version)
    expect((await full.get(at, { 'if-none-match': meta.version })).status).toBe(304)
    for (const tag of ['"other"', `W/${meta.version}`]) {
      const headers = { 'if-match': tag }
      const answers = [
        await full.patch(at, body, headers),
        await full.put(at, { ...make(), displayName: 'x' }, headers),
        await full.delete(at, headers),
      ]
      for (const answer of answers) expect([answer.status, answer.body.status]).toEqual([412, '412'])
    }
    expect((await full.patch(at, body, { 'if-match': `"other", ${meta.version}` })).status).toBeLessThan(300)
    expect((await full.get(at, { 'if-none-match': meta.version })).status).toBe(200)
    expect((await full.patch(at, body, { 'if-match': meta.version })).status).toBe(412)
    const { version } = (await full.get(at)).body.meta
    expect((await full.patch(at, body, { 'if-match': version })).status).toBeLessThan(300)
    expect((await full.get(at)).body.meta.version).toBe(version)
    expect((await full.delete(at, { 'if-match': '*' })).status).toBe(204)
  })

  test('and the address are in the answer to a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = newUser()
    const [first, again] = [await full.post('/Users', body, headers), await full.post('/Users', body, headers)]
    expect([again.status, again.text]).toEqual([201, first.text])
    for (const name of ['etag', 'location', 'content-type'])
      expect(again.headers.get(name)).toBe(first.headers.get(name) as string)
    expect((await full.post('/Users', newUser(), headers)).status).toBe(409)
  })
})

describe('what the service says of itself', () => {
  test('is its configuration', async () => {
    const { body } = await full.get('/ServiceProviderConfig')
    expect<object>(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 100 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
    })
  })

  test('are the types User and Group with their schemas', async () => {
    const types = (await full.get('/ResourceTypes')).body
    const shown = types.Resources.map((type) => {
      const { id, endpoint, schema, meta } = type as unknown as Record<string, string> & { meta: { location: string } }
      return [id, endpoint, schema, meta.location]
    })
    expect(shown).toEqual([
      ['User', '/Users', USER, `${base}/ResourceTypes/User`],
      ['Group', '/Groups', GROUP, `${base}/ResourceTypes/Group`],
    ])
    expect((await full.get('/ResourceTypes/User')).body.id).toBe('User')
    expect((await full.get('/ResourceTypes/Printer')).status).toBe(404)
    const schemas = (await full.get('/Schemas')).body.Resources as unknown as {
      id: string
      attributes: { name: string }[]
    }[]
    expect(schemas.map(({ id, attributes }) => [id, attributes.map(({ name }) => name)])).toEqual([
      [USER, ['userName', 'externalId', 'name', 'displayName', 'emails', 'active']],
      [GROUP, ['displayName', 'externalId', 'members']],
    ])
  })
})
