import { describe, expect, test } from 'bun:test'
import type { CreatedUser, User } from '../../../proto/http/organization/users.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING, TEST_PASSWORD } from '../../testing/marketplace.ts'
import {
  created,
  entriesOf,
  eventsOf,
  newPerson,
  type Page,
  type Problem,
  patch,
  tokenOf,
} from '../../testing/people.ts'

const market = await marketplaceOf([], { ...RACING, PUBLIC_URL: 'https://market.example.com' })
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const manager = await org.member(['user:manage'])
const colleague = await org.member([])

const create = (body: unknown, by: ApiClient = client, headers: Record<string, string> = {}) =>
  by.post<CreatedUser & Problem>('/flows/v1/users', body, headers)
const systemRole = async (name: string) =>
  (await client.get<Page<{ id: string; name: string }>>(`/v1/roles?q=${name}`)).body.items[0]?.id as string

describe('creating a user', () => {
  test('returns the user and a single-use link that expires after 72 hours', async () => {
    const answer = await create(newPerson({ phone: '+45 20 12 34 56' }))
    expect(answer.status).toBe(201)
    const { activationUrl, ...user } = answer.body
    expect(user as User).toEqual({
      id: user.id,
      email: user.email,
      givenName: 'Test',
      familyName: 'Person',
      active: true,
      admin: false,
      phone: '+45 20 12 34 56',
    })
    expect(activationUrl).toMatch(/^https:\/\/market\.example\.com\/activate#[\w-]{43}$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [link] = await market.db.owner<{ hours: number }[]>`
      select extract(epoch from expires_at - created_at)::int / 3600 as hours
      from organization.activations where user_id = ${user.id}`
    expect(link?.hours).toBe(72)
    const signedIn = new ApiClient(market.url)
    await signedIn.activate(tokenOf(answer.body), TEST_PASSWORD)
    await signedIn.signIn(user.email, TEST_PASSWORD)
    const again = await market.anonymous.post('/flows/v1/activations', {
      token: tokenOf(answer.body),
      password: TEST_PASSWORD,
    })
    expect(again.status).toBe(404)
  })

  test('writes an audit entry without name or e-mail address, and an event', async () => {
    const user = await created(client)
    const entry = (await entriesOf(market, org.orgId, 'user.create')).at(-1)
    expect(entry).toMatchObject({ success: true, actor_id: org.administrator.userId, request: { userId: user.id } })
    expect(JSON.stringify(entry)).not.toContain(user.email)
    expect(await eventsOf(market, user.id)).toEqual(['organization.user.changed'])
  })

  test('with roleIds grants the roles', async () => {
    const user = await created(client, { roleIds: [await systemRole('Administrator')] })
    expect(user.admin).toBe(true)
  })

  test('a taken e-mail address in any spelling, in any organization, is 409 email_taken', async () => {
    const { email } = await created(client, { email: `Käthe.${crypto.randomUUID()}@example.com` })
    const wide = email.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) as number) + 0xfee0))
    const spellings = [email, email.toUpperCase(), email.normalize('NFD'), email.toLowerCase(), wide]
    for (const spelling of spellings) {
      for (const by of [client, stranger.administrator.client]) {
        const answer = await create(newPerson({ email: spelling }), by)
        expect([answer.status, answer.body.code]).toEqual([409, 'email_taken'])
      }
    }
    expect((await entriesOf(market, stranger.orgId, 'user.create')).at(-1)).toMatchObject({ error: 'email_taken' })
  })

  test('of two concurrent requests with one e-mail address one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const { email } = newPerson()
      const answers = await Promise.all([
        create(newPerson({ email }), client),
        create(newPerson({ email: email.toUpperCase() }), stranger.administrator.client),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    }
  })

  test('the user can sign in with another spelling of the e-mail address', async () => {
    const email = `Käthe.${crypto.randomUUID()}@example.com`
    const user = await created(client, { email })
    await new ApiClient(market.url).activate(tokenOf(user), TEST_PASSWORD)
    for (const spelling of [email.normalize('NFD'), email.toUpperCase()]) {
      await new ApiClient(market.url).signIn(spelling, TEST_PASSWORD)
    }
  })

  test.each([
    'no at sign',
    'a b@example.com',
    '@example.com',
    'a@',
    'a@b@c',
    'a\u200bb@example.com',
    'a\u202eb@example.com',
    'a\u00adb@example.com',
    `${'x'.repeat(250)}@example.com`,
    // Normalization makes these too long or turns a character into a second @.
    `${'\u{1d160}'.repeat(100)}@example.com`,
    `${'\ufdfa'.repeat(100)}@example.com`,
    'a\uff20b@example.com',
    'a@b\ufe6bc',
  ])('the e-mail address %j is 400', async (email) => {
    const answer = await create(newPerson({ email }))
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'email'])
  })

  test.each([
    [{ givenName: ' ' }, 'givenName'],
    [{ familyName: 'x'.repeat(101) }, 'familyName'],
    [{ phone: '' }, 'phone'],
    [{ phone: null }, 'phone'],
    [{ active: false }, 'active'],
    [{ orgId: 'org_1' }, 'orgId'],
    [{ roleIds: ['role_unknown'] }, 'roleIds.0'],
  ])('%j is 400', async (more, field) => {
    const answer = await create(newPerson(more))
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field])
  })

  test('a role of another organization is 400 like an unknown role, and no user is created', async () => {
    const { items } = (await stranger.administrator.client.get<Page<{ id: string }>>('/v1/roles')).body
    const person = newPerson({ roleIds: [items[0]?.id] })
    expect((await create(person)).body.errors?.[0]?.field).toBe('roleIds.0')
    const found = await client.get<Page<User>>(`/v1/users?q=${person.email}`)
    expect(found.body.items).toEqual([])
  })

  test('without user:manage, or with a role whose permissions the caller does not hold, is 403', async () => {
    expect((await create(newPerson(), colleague.client)).status).toBe(403)
    const administrator = await systemRole('Administrator')
    const refused = await create(newPerson({ roleIds: [administrator] }), manager.client)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect((await create(newPerson({ roleIds: [await systemRole('Viewer')] }), manager.client)).status).toBe(201)
  })

  test('twice with one Idempotency-Key returns the first response, which is stored encrypted', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const person = newPerson()
    const [first, again] = [await create(person, client, headers), await create(person, client, headers)]
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    const other = await create(newPerson(), client, headers)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    const rows = await market.db.owner<{ response: string }[]>`
      select response from organization.idempotency_keys where key = ${headers['idempotency-key']}`
    expect(rows).toHaveLength(1)
    expect(rows[0]?.response).not.toContain(tokenOf(first.body))
    expect(rows[0]?.response).not.toContain(person.email)
  })
})

describe('changing a user', () => {
  test('changes only the fields that were sent; null clears the telephone number', async () => {
    const user = await created(client, { phone: '123' })
    const path = `/flows/v1/users/${user.id}`
    const { activationUrl, ...before } = user
    const renamed = await patch<User>(client, path, { familyName: 'Other' })
    expect([renamed.status, renamed.body as User]).toEqual([200, { ...before, familyName: 'Other' }])
    const { phone, ...without } = renamed.body
    expect((await patch<User>(client, path, { phone: null })).body as User).toEqual(without as User)
    expect((await patch<User>(client, path, {})).body as User).toEqual(without as User)
    expect((await patch(client, path, { givenName: null })).status).toBe(400)
    const entry = (await entriesOf(market, org.orgId, 'user.patch')).at(0)
    expect(entry?.request).toEqual({ id: user.id, fields: ['familyName'] })
    expect(await eventsOf(market, user.id)).toHaveLength(3)
  })

  test('a new e-mail address can be used for search and sign-in at once', async () => {
    const user = await created(client)
    await new ApiClient(market.url).activate(tokenOf(user), TEST_PASSWORD)
    const email = `New.${crypto.randomUUID()}@example.com`
    expect((await patch(client, `/flows/v1/users/${user.id}`, { email })).status).toBe(200)
    await new ApiClient(market.url).signIn(email.toLowerCase(), TEST_PASSWORD)
    const found = await client.get<Page<User>>(`/v1/users?q=${email.toUpperCase()}`)
    expect(found.body.items.map(({ id }) => id)).toEqual([user.id])
    expect((await create(newPerson({ email: user.email }))).status).toBe(201)
  })

  test('a taken e-mail address is 409 in any case', async () => {
    const [one, other] = [await created(client), await created(client)]
    const answer = await patch(client, `/flows/v1/users/${one.id}`, { email: other.email.toUpperCase() })
    expect([answer.status, answer.body.code]).toEqual([409, 'email_taken'])
    expect((await patch(client, `/flows/v1/users/${one.id}`, { email: one.email.toUpperCase() })).status).toBe(200)
  })

  test('an outdated If-Match is 412; the ETag depends on the fields that the caller sees', async () => {
    const user = await created(client)
    const path = `/flows/v1/users/${user.id}`
    const tag = async (by: ApiClient) => (await by.get(`/v1/users/${user.id}`)).headers.get('etag') as string
    const [mine, theirs] = [await tag(client), await tag(manager.client)]
    expect(mine).not.toBe(theirs)
    expect((await patch(client, path, { familyName: 'B' }, { 'if-match': mine })).status).toBe(200)
    const stale = await patch(client, path, { familyName: 'C' }, { 'if-match': mine })
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
    const fresh = { 'if-match': await tag(manager.client) }
    expect((await patch(manager.client, path, { familyName: 'D' }, fresh)).status).toBe(200)
  })

  test('with what is no e-mail address is 400, before 403, 404 and 412', async () => {
    const { id } = await created(client)
    const email = 'a\uff20b@example.com'
    for (const answer of [
      await patch(client, `/flows/v1/users/${id}`, { email }, { 'if-match': '"older"' }),
      await patch(client, '/flows/v1/users/user_unknown', { email }),
      await patch(colleague.client, `/flows/v1/users/${id}`, { email }),
      await create(newPerson({ email }), colleague.client),
    ]) {
      expect([answer.status, answer.body.errors?.map(({ field }) => field)]).toEqual([400, ['email']])
    }
  })

  test('of a user who holds a permission that the caller does not hold is 403, of another organization 404', async () => {
    const path = `/flows/v1/users/${org.administrator.userId}`
    expect((await patch(manager.client, path, { familyName: 'Mine' })).status).toBe(403)
    expect((await patch(manager.client, `/flows/v1/users/${colleague.userId}`, { familyName: 'X' })).status).toBe(200)
    const foreign = await patch(stranger.administrator.client, path, { familyName: 'Theirs' })
    expect(foreign.status).toBe(404)
    expect((await patch(colleague.client, `/flows/v1/users/${colleague.userId}`, { familyName: 'Y' })).status).toBe(403)
  })
})

describe('reading one user', () => {
  const read = (by: ApiClient, id: string) => by.get<User>(`/v1/users/${id}`)
  const privateFields = ({ body }: { body: User }) => ['admin', 'phone'].filter((name) => name in body)

  test('admin and phone are returned to administrators and to the user', async () => {
    const user = await created(client, { phone: '+47 1' })
    const own = new ApiClient(market.url)
    await own.activate(tokenOf(user), TEST_PASSWORD)
    await own.signIn(user.email, TEST_PASSWORD)
    const [byAdmin, bySelf, byOther, byManager] = (await Promise.all(
      [client, own, colleague.client, manager.client].map((by) => read(by as ApiClient, user.id)),
    )) as [
      Awaited<ReturnType<typeof read>>,
      Awaited<ReturnType<typeof read>>,
      Awaited<ReturnType<typeof read>>,
      Awaited<ReturnType<typeof read>>,
    ]
    expect([byAdmin, bySelf, byOther, byManager].map(privateFields)).toEqual([
      ['admin', 'phone'],
      ['admin', 'phone'],
      [],
      [],
    ])
    expect(bySelf.text).toBe(byAdmin.text)
    expect(bySelf.headers.get('etag')).not.toBe(byOther.headers.get('etag'))
    expect(privateFields(await read(own, colleague.userId))).toEqual([])
  })

  test('If-None-Match with the ETag of the other shape is 200', async () => {
    const id = colleague.userId
    const etag = (await read(manager.client, id)).headers.get('etag') as string
    const headers = { 'if-none-match': etag }
    expect((await manager.client.get(`/v1/users/${id}`, { headers })).status).toBe(304)
    expect((await client.get(`/v1/users/${id}`, { headers })).status).toBe(200)
  })

  test('a user of another organization is 404 with the same body as an unknown id', async () => {
    const headers = { 'x-request-id': 'same' }
    const foreign = await client.get(`/v1/users/${stranger.administrator.userId}`, { headers })
    const unknown = await client.get('/v1/users/user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', { headers })
    const bytes = (text: string) => text.replace(/"instance":"[^"]*"/, '')
    expect([foreign.status, bytes(foreign.text)]).toEqual([404, bytes(unknown.text)])
  })
})
