import { describe, expect, test } from 'bun:test'
import type { Passkey, PasskeyCreationOptions, PasskeyRequestOptions } from '../../../proto/http/identity/passkeys.ts'
import { TestAuthenticator } from '../../testing/authenticator.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, TEST_PASSWORD, type TestUser } from '../../testing/marketplace.ts'
import { addPasskey, PASSKEYS, passkeyEvents, startedPasskey } from '../../testing/passkeys.ts'
import { entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { createdAccount, createdKey, FORM } from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers([], { TRUSTED_PROXIES: '1' })
const org = await market.organization(['CONSUMER'])
const admin = org.administrator.client
const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)

let addresses = 0
/** Failures of one test do not throttle the next. */
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })
const start = (client: ApiClient, body: object) =>
  client.post<PasskeyCreationOptions & Problem>(`${PASSKEYS}/start`, body, elsewhere())
const create = (client: ApiClient, body: object) => client.post<Passkey & Problem>(PASSKEYS, body, elsewhere())
const confirm = (client: ApiClient) => client.post<PasskeyRequestOptions & Problem>(`${PASSKEYS}/confirm`)
const namesOf = async (client: ApiClient, query = '') =>
  (await client.get<Page<Passkey>>(`${PASSKEYS}${query}`)).body.items.map(({ name }) => name)

describe('a passkey is added', () => {
  test('after the password, with options for this host, user verification and no attestation', async () => {
    const member = await org.member([])
    const options = (await start(member.client, { currentPassword: TEST_PASSWORD })).body
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'localhost', name: 'Sourcing and Manufacturing Marketplace' },
      user: {
        id: Buffer.from(member.userId).toString('base64url'),
        name: member.email,
        displayName: member.email,
      },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    } as never)
    const { status, body } = await create(member.client, {
      name: 'Laptop',
      credential: newAuthenticator().create(options),
    })
    expect([status, body]).toEqual([
      201,
      { id: expect.stringMatching(/^passkey_/), name: 'Laptop', createdTime: expect.any(String) } as never,
    ])
    expect(await passkeyEvents(market, body.id)).toEqual(['identity.passkey.added'])
    expect([...(await entriesOf(market, org.orgId, 'passkey.create'))].at(-1)).toEqual({
      success: true,
      error: null,
      actor_id: member.userId,
      request: { passkeyId: body.id },
    })
  })

  test('after a passkey that the person has, which excludes it from the new ones', async () => {
    const { client } = await org.member([])
    const { authenticator } = await addPasskey(market, client)
    const asked = (await confirm(client)).body
    expect(asked.allowCredentials?.map(({ id }) => id)).toEqual([
      authenticator.credentials[0]?.id.toString('base64url') ?? '',
    ])
    const started = await start(client, { assertion: authenticator.get(asked) })
    expect([started.status, started.body.excludeCredentials]).toEqual([200, asked.allowCredentials ?? []])
    const added = await create(client, { name: 'Phone', credential: newAuthenticator().create(started.body) })
    expect([added.status, await namesOf(client)]).toEqual([201, ['Phone', 'Work laptop']])
  })

  test.each([
    ['a wrong password', { currentPassword: 'not the password' }, 'currentPassword'],
    ['neither', {}, 'currentPassword'],
  ])('with %s: 400, and no challenge', async (_, body, field) => {
    const { client } = await org.member([])
    const answer = await start(client, body)
    expect([answer.status, answer.body.errors?.[0]?.field, answer.body.challenge]).toEqual([
      400,
      field,
      undefined as never,
    ])
  })

  test('with the password and a passkey at once: 400', async () => {
    const { client } = await org.member([])
    const { authenticator } = await addPasskey(market, client)
    const assertion = authenticator.get((await confirm(client)).body)
    expect((await start(client, { currentPassword: TEST_PASSWORD, assertion })).status).toBe(400)
  })

  test('wrong passwords are throttled like sign-ins: the sixth within a minute is 429', async () => {
    const { client } = await org.member([])
    const guess = (currentPassword: string) => client.post(`${PASSKEYS}/start`, { currentPassword })
    for (let n = 0; n < 5; n++) expect((await guess('wrong')).status).toBe(400)
    expect((await guess(TEST_PASSWORD)).status).toBe(429)
  })

  test('by a session without its own proof: a challenge of another session of the person is refused', async () => {
    const member = await org.member([])
    const stolen = new ApiClient(market.url, (await openSession(market, member)).accessToken)
    const credential = newAuthenticator().create(await startedPasskey(member.client))
    expect((await create(stolen, { name: 'Stolen', credential })).status).toBe(400)
    // The attempt has used up the challenge.
    expect((await create(member.client, { name: 'Own', credential })).status).toBe(400)
    expect(await namesOf(member.client)).toEqual([])
  })

  test('a blank name, one of 101 characters and an unknown field are 400', async () => {
    const { client } = await org.member([])
    const credential = newAuthenticator().create(await startedPasskey(client))
    for (const more of [{ name: ' ' }, { name: 'x'.repeat(101) }, { name: 'x', attestation: 'direct' }])
      expect((await create(client, { credential, ...more })).status).toBe(400)
    expect((await create(client, { credential, name: 'x'.repeat(100) })).status).toBe(201)
  })

  test('the eleventh is 409 limit_reached', async () => {
    const { client } = await org.member([])
    for (let n = 0; n < 10; n++) await addPasskey(market, client, { name: `Key ${n}` })
    const answer = await start(client, { currentPassword: TEST_PASSWORD })
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  })

  test('a credential that another person has registered is 400', async () => {
    const [first, second] = [await org.member([]), await org.member([])]
    const options = await startedPasskey(first.client)
    const authenticator = newAuthenticator()
    const credential = authenticator.create(options)
    expect((await create(first.client, { name: 'A', credential })).status).toBe(201)
    const { challenge } = await startedPasskey(second.client)
    const clientDataJSON = Buffer.from(
      JSON.stringify({ type: 'webauthn.create', challenge, origin: 'http://localhost:8080', crossOrigin: false }),
    ).toString('base64url')
    expect((await create(second.client, { name: 'B', credential: { ...credential, clientDataJSON } })).status).toBe(400)
    expect(await namesOf(second.client)).toEqual([])
  })
})

describe('passkeys of the person', () => {
  test('are listed, renamed and removed, with an event of the removal', async () => {
    const { client } = await org.member([])
    const { passkey } = await addPasskey(market, client, { name: 'Old name' })
    const path = `${PASSKEYS}/${passkey.id}`
    const renamed = await patch<Passkey>(client, path, { name: 'New name' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...passkey, name: 'New name' }] as never)
    expect((await client.get<Passkey>(path)).body).toEqual(renamed.body)
    expect((await patch(client, path, { name: 'X' }, { 'if-match': '"other"' })).status).toBe(412)
    expect((await client.send('DELETE', path)).status).toBe(204)
    expect([(await client.get(path)).status, (await client.send('DELETE', path)).status]).toEqual([404, 404])
    expect(await passkeyEvents(market, passkey.id)).toEqual(['identity.passkey.added', 'identity.passkey.removed'])
    expect((await entriesOf(market, org.orgId, 'passkey.delete')).at(-1)?.request).toEqual({ id: passkey.id })
  })

  test('those of a colleague are 404 like unknown ones, and are listed with user:manage alone', async () => {
    const [owner, colleague, manager] = [await org.member([]), await org.member([]), await org.member(['user:manage'])]
    const { passkey } = await addPasskey(market, owner.client, { name: 'Mine' })
    const path = `${PASSKEYS}/${passkey.id}`
    for (const { client } of [colleague, manager, org.administrator]) {
      expect([
        (await client.get(path)).status,
        (await patch(client, path, { name: 'X' })).status,
        (await client.send('DELETE', path)).status,
      ]).toEqual([404, 404, 404])
    }
    expect((await colleague.client.get(`${PASSKEYS}?userId=${owner.userId}`)).status).toBe(403)
    expect(await namesOf(manager.client, `?userId=${owner.userId}`)).toEqual(['Mine'])
    const { administrator: stranger } = await market.organization(['CONSUMER'])
    expect(await namesOf(stranger.client, `?userId=${owner.userId}`)).toEqual([])
    expect((await stranger.client.get(path)).status).toBe(404)
  })
})

describe('passkeys are closed', () => {
  test('to an impersonation: 403', async () => {
    const member = await org.member([])
    const { passkey } = await addPasskey(market, member.client)
    const act = { grantId: `grant_${crypto.randomUUID()}`, actingEmail: 'support@example.com' }
    const acting = new ApiClient(market.url, (await openSession(market, member, act)).accessToken)
    expect([
      (await confirm(acting)).status,
      (await start(acting, { currentPassword: TEST_PASSWORD })).status,
      (await patch(acting, `${PASSKEYS}/${passkey.id}`, { name: 'X' })).status,
      (await acting.send('DELETE', `${PASSKEYS}/${passkey.id}`)).status,
      (await acting.post(`/flows/v1/users/${org.administrator.userId}/reset-passkeys`)).status,
    ]).toEqual([403, 403, 403, 403, 403])
  })

  test('to a service account: 409', async () => {
    const account = await createdAccount(admin)
    const { clientId, clientSecret } = await createdKey(admin, account.id)
    const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const { body } = await market.anonymous.post<{ access_token: string }>('/flows/v1/oauth/token', credentials, FORM)
    const client = new ApiClient(market.url, body.access_token)
    const answer = await start(client, { currentPassword: TEST_PASSWORD })
    expect([answer.status, answer.body.detail, (await confirm(client)).status]).toEqual([
      409,
      'A service account has no passkeys.',
      409,
    ])
  })

  test('where a person has none, there is nothing to confirm with: 409', async () => {
    const { client } = await org.member([])
    const answer = await confirm(client)
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([409, 'conflict', 'You have no passkey yet.'])
  })

  test('after a deactivation: the session has ended (401)', async () => {
    const member: TestUser = await org.member([])
    await admin.post(`/flows/v1/users/${member.userId}/deactivate`)
    expect((await start(member.client, { currentPassword: TEST_PASSWORD })).status).toBe(401)
  })
})

test('an anonymised person keeps no passkey', async () => {
  const member = await org.member([])
  await addPasskey(market, member.client)
  await admin.post(`/flows/v1/users/${member.userId}/anonymise`)
  const left = async () =>
    (await market.db.owner`select from identity.passkeys where user_id = ${member.userId}`).length
  await until(async () => (await left()) === 0, { what: 'the end of the passkey' })
})
