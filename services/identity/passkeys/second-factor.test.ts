import { describe, expect, test } from 'bun:test'
import { TestAuthenticator } from '../../testing/authenticator.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, TEST_PASSWORD, type TestUser } from '../../testing/marketplace.ts'
import {
  addPasskey,
  enrolled,
  PASSKEYS,
  requireSecondFactor,
  SignInBrowser,
  signsInByPassword,
  strictMember,
} from '../../testing/passkeys.ts'
import { entriesOf, type Page, type Problem, patch } from '../../testing/people.ts'
import { FORM } from '../../testing/service-accounts.ts'
import { openActivation, openSession } from '../../testing/sessions.ts'

const market = await marketplaceOf([], { TRUSTED_PROXIES: '1' })
const org = await market.organization(['CONSUMER'])
const { client: admin } = org.administrator
const NEXT = 'another correct horse battery'

/** From before the requirement. */
const early = await org.member([])
const earlyRefresh = early.client.refreshToken
const { authenticator: ofAdmin } = await requireSecondFactor(market, admin)

let addresses = 0
const newBrowser = () => new SignInBrowser(market, `203.0.113.${++addresses}`)
const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })
const refresh = (refreshToken = '') =>
  market.anonymous.post<{ access_token: string; refresh_token: string }>('/v2.3/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })
const lastSignIn = async () => (await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)

describe('where an organization requires a second factor, the password alone', () => {
  test.each([
    ['in JSON', '/v2.3/oauth/token', {}],
    ['in a form', '/v2.3/oauth/token', FORM],
    ['at the endpoint of OAuth', '/flows/v1/oauth/token', FORM],
  ])('is refused %s, right or wrong, and the audit log has the reason', async (_, path, headers) => {
    const member = await strictMember(market, org)
    const grant = (password: string) =>
      market.anonymous.post<{ error: unknown }>(
        path,
        { grant_type: 'password', username: member.email, password },
        { ...headers, ...elsewhere() },
      )
    const [right, wrong] = [await grant(TEST_PASSWORD), await grant('not the password')]
    expect(right.status).toBe(path.startsWith('/flows') ? 400 : 401)
    expect([right.status, right.body.error]).toEqual([wrong.status, wrong.body.error])
    expect(await lastSignIn()).toMatchObject({
      success: false,
      error: 'invalid_credentials',
      actor_id: member.userId,
      request: { grant_type: 'password', reason: 'second_factor_required' },
    })
  })

  test('in the console leads to the passkey, and opens no session', async () => {
    const member = await strictMember(market, org)
    const { authenticator, passkey } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const first = await browser.password(member.email)
    expect([first.status, Object.keys(first.body), first.body.passkey?.allowCredentials?.length]).toEqual([
      200,
      ['passkey'],
      1,
    ])
    expect(first.text).not.toContain('token"')
    if (!first.body.passkey) throw new Error('no challenge')
    const second = await browser.finish(authenticator.get(first.body.passkey))
    expect([second.status, second.body.email]).toEqual([200, member.email])
    expect(await lastSignIn()).toMatchObject({ success: true, request: { passkeyId: passkey.id } })
    // The session goes on.
    expect((await refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('is not needed beside a passkey: the passkey alone signs in', async () => {
    const answer = await newBrowser().byPasskey(ofAdmin)
    expect([answer.status, answer.body.email]).toEqual([200, org.administrator.email])
  })

  test('in other organizations still signs in, also in the console', async () => {
    const other = await (await market.organization(['CONSUMER'])).member([])
    const answer = await newBrowser().password(other.email)
    expect([answer.status, answer.body.tokens?.email, answer.headers.getSetCookie()]).toEqual([200, other.email, []])
    expect(await signsInByPassword(market, other.email)).toBe(200)
  })
})

describe('a person without a passkey', () => {
  test('registers one after the password, gets a session, and is asked for it the next time', async () => {
    const member = await strictMember(market, org)
    const { answer, authenticator } = await enrolled(market, member)
    expect([answer.status, answer.body.email]).toEqual([200, member.email])
    const client = new ApiClient(market.url, answer.body.access_token)
    const { items } = (await client.get<Page<{ id: string; name: string; lastUsedTime: string }>>(PASSKEYS)).body
    expect(items.map(({ name }) => name)).toEqual(['Phone'])
    expect((await entriesOf(market, org.orgId, 'passkey.create')).at(-1)).toMatchObject({
      actor_id: member.userId,
      request: { passkeyId: items[0]?.id, signIn: true },
    })
    const browser = newBrowser()
    const { passkey } = (await browser.password(member.email)).body
    if (!passkey) throw new Error('no challenge')
    expect((await browser.finish(authenticator.get(passkey))).status).toBe(200)
  })

  test('cannot use the challenge for anything else, in another browser, or twice', async () => {
    const member = await strictMember(market, org)
    const begun = async () => {
      const browser = newBrowser()
      const { firstPasskey } = (await browser.password(member.email)).body
      if (!firstPasskey) throw new Error('no challenge')
      return { browser, credential: newAuthenticator().create(firstPasskey), challenge: firstPasskey.challenge }
    }
    const another = newBrowser()
    await another.start()
    const foreign = await begun()
    expect((await another.first(foreign.credential)).status).toBe(401)
    expect((await foreign.browser.first(foreign.credential)).status).toBe(401)
    const ofAccount = await begun()
    expect((await member.client.post(PASSKEYS, { name: 'X', credential: ofAccount.credential })).status).toBe(400)
    const { authenticator } = await addPasskey(market, early.client)
    const asRequest = await begun()
    const request = {
      challenge: asRequest.challenge,
      rpId: 'localhost',
      timeout: 1,
      userVerification: 'required',
    } as const
    expect((await asRequest.browser.finish(authenticator.get(request))).status).toBe(401)
    const own = await begun()
    expect((await own.browser.first(own.credential)).status).toBe(200)
    expect((await own.browser.first(own.credential)).status).toBe(401)
  })

  test('who got one meanwhile does not register another by the password', async () => {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    await addPasskey(market, member.client)
    expect((await browser.first(newAuthenticator().create(firstPasskey))).status).toBe(401)
    expect((await entriesOf(market, org.orgId, 'passkey.create')).at(-1)).toMatchObject({
      success: false,
      error: 'invalid_credentials',
      request: { reason: 'user_changed' },
    })
    expect((await member.client.get<Page<object>>(PASSKEYS)).body.items).toHaveLength(1)
  })

  test('whose password changed after the first step does not register with the former one', async () => {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    const change = { currentPassword: TEST_PASSWORD, newPassword: NEXT }
    expect((await member.client.post('/flows/v1/password/change', change)).status).toBe(204)
    expect((await browser.first(newAuthenticator().create(firstPasskey))).status).toBe(401)
    expect((await enrolled(market, member, NEXT)).answer.status).toBe(200)
  })

  test('who is deactivated after the first step does not register', async () => {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    await admin.post(`/flows/v1/users/${member.userId}/deactivate`)
    expect((await browser.first(newAuthenticator().create(firstPasskey))).status).toBe(401)
  })
})

describe('a new password, by a link of an administrator or by mail,', () => {
  test('does not replace the passkey', async () => {
    const member = await strictMember(market, org)
    const { authenticator } = await addPasskey(market, member.client)
    await market.anonymous.activate(await openActivation(market, member.userId), NEXT)
    expect(await signsInByPassword(market, member.email, NEXT)).toBe(401)
    const browser = newBrowser()
    const step = (await browser.password(member.email, NEXT)).body
    expect(Object.keys(step)).toEqual(['passkey'])
    if (!step.passkey) throw new Error('no challenge')
    expect((await browser.first(newAuthenticator().create({ ...creationOf(member), ...step.passkey }))).status).toBe(
      401,
    )
    const again = (await browser.password(member.email, NEXT)).body
    if (!again.passkey) throw new Error('no challenge')
    expect((await browser.finish(authenticator.get(again.passkey))).status).toBe(200)
  })

  test('voids the challenges that followed the former password', async () => {
    const member = await strictMember(market, org)
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const { passkey } = (await browser.password(member.email)).body
    if (!passkey) throw new Error('no challenge')
    await market.anonymous.activate(await openActivation(market, member.userId), NEXT)
    expect((await browser.finish(authenticator.get(passkey))).status).toBe(401)
  })
})

const creationOf = ({ userId, email }: TestUser) => ({
  rp: { id: 'localhost', name: '' },
  user: { id: Buffer.from(userId).toString('base64url'), name: email, displayName: email },
  pubKeyCredParams: [],
  attestation: 'none' as const,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
})

describe('sessions', () => {
  test('that began with a password go on until their refresh, which is 401', async () => {
    expect((await early.client.get('/flows/v1/me')).status).toBe(200)
    expect((await refresh(earlyRefresh)).status).toBe(401)
    expect((await refresh(earlyRefresh)).status).toBe(401)
  })

  test('that began with a passkey are refreshed again and again', async () => {
    const { refresh_token: first } = (await newBrowser().byPasskey(ofAdmin)).body
    const second = await refresh(first)
    expect([second.status, (await refresh(second.body.refresh_token)).status]).toEqual([200, 200])
  })

  test('of an impersonation do not depend on it', async () => {
    const act = { grantId: `grant_${crypto.randomUUID()}`, actingEmail: 'support@example.com' }
    const { refreshToken } = await openSession(market, early, act)
    expect((await refresh(refreshToken)).status).toBe(200)
  })

  test('that began with a password are refreshed once it is no longer required', async () => {
    const other = await market.organization(['CONSUMER'])
    const member = await other.member([])
    await requireSecondFactor(market, other.administrator.client)
    expect((await refresh(member.client.refreshToken)).status).toBe(401)
    expect(
      (await patch(other.administrator.client, '/flows/v1/sign-in-settings', { secondFactor: false })).status,
    ).toBe(200)
    expect((await refresh(member.client.refreshToken)).status).toBe(200)
    expect(await signsInByPassword(market, member.email)).toBe(200)
  })
})

describe('a code of a sign-in at a provider', () => {
  test('is no challenge of a passkey, and a challenge is no code', async () => {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    const cookie = (browser.cookie ?? '').replace('marketplace-passkey', 'marketplace-sso')
    const answer = await market.anonymous.post('/flows/v1/sso/token', { code: firstPasskey?.challenge }, { cookie })
    expect(answer.status).toBe(401)
  })
})

describe('the last passkey', () => {
  test('stays while one is required (409), so that the password does not register another', async () => {
    const member = await strictMember(market, org)
    const first = await addPasskey(market, member.client)
    const second = await addPasskey(market, member.client)
    const remove = (id: string) => member.client.send<Problem>('DELETE', `${PASSKEYS}/${id}`)
    expect((await remove(first.passkey.id)).status).toBe(204)
    const refused = await remove(second.passkey.id)
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      'conflict',
      'Your organization requires a passkey. Add another one first.',
    ])
    expect((await newBrowser().byPasskey(second.authenticator)).status).toBe(200)
  })
})

test('a person whose passkeys are of a former host registers a new one after the password', async () => {
  const member = await strictMember(market, org)
  await addPasskey(market, member.client)
  await market.db.owner`update identity.passkeys set rp_id = 'old.example.com' where user_id = ${member.userId}`
  expect((await enrolled(market, member)).answer.status).toBe(200)
})
