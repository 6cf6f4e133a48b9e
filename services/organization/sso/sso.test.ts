import { afterAll, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import type { ApiClient } from '../../testing/client.ts'
import { TestDns } from '../../testing/dns.ts'
import { TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { act, entriesOf, type Page, patch } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, TestBrowser } from '../../testing/sso.ts'

const dns = new TestDns()
const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
  resolveTxt: dns.resolveTxt,
})
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const roleNamed = async (client: ApiClient, name: string) =>
  (await client.get<Page<{ id: string; name: string }>>('/v1/roles?pageSize=50')).body.items.find(
    (role) => role.name === name,
  )?.id as string
const rolesOf = async (userId: string) =>
  (await admin.get<Page<{ name: string }>>(`/v1/roles?userId=${userId}`)).body.items.map(({ name }) => name)
const meOf = async (client: ApiClient) =>
  (await client.get<{ user: { id: string; email: string; givenName: string; familyName: string } }>('/flows/v1/me'))
    .body.user

const viewer = await roleNamed(admin, 'Viewer')
const ipOwner = await roleNamed(admin, 'IP owner')
const provider = await createdProvider(admin, {
  issuer: idp.issuer,
  domains: ['skagen.example.net'],
  defaultRoleIds: [viewer],
  groupRoles: { claim: 'groups', map: { drawing: ipOwner } },
})
await idp.register(provider.redirectUrl)
expect((await prove(admin, dns, provider, 'skagen.example.net')).status).toBe(200)

const confirmed = (sub: string, email: string, more = {}) => ({ sub, email, email_verified: true, ...more })
const newSub = () => crypto.randomUUID()
const browser = () => new TestBrowser(market)

describe('a sign-in at a provider', () => {
  test('makes a user with the default roles and the roles of its groups, and opens a session', async () => {
    const names = { given_name: 'Ada', family_name: 'Berg', groups: ['drawing', 'other'] }
    idp.signsIn(confirmed(newSub(), 'Ada.Berg@Skagen.example.net', names))
    const person = await browser().signIn('ada.berg@skagen.example.net')
    const me = await meOf(person)
    expect(me).toMatchObject({ email: 'Ada.Berg@Skagen.example.net', givenName: 'Ada', familyName: 'Berg' })
    expect(await rolesOf(me.id)).toEqual(['IP owner', 'Viewer'])
    expect((await entriesOf(market, org.orgId, 'user.provision')).at(-1)).toMatchObject({
      success: true,
      actor_id: me.id,
      request: { identityProviderId: provider.id, userId: me.id, created: true, grantedRoleIds: [viewer, ipOwner] },
    })
    expect((await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)).toMatchObject({
      success: true,
      actor_id: me.id,
      request: { identityProviderId: provider.id },
    })
  })

  test('finds the user by subject, although the address at the provider changed, and follows its groups', async () => {
    const sub = newSub()
    idp.signsIn(confirmed(sub, 'eva@skagen.example.net', { groups: ['drawing'] }))
    const { id } = await meOf(await browser().signIn('eva@skagen.example.net'))
    idp.signsIn({ sub, email: 'eva.new@skagen.example.net', email_verified: false, groups: [] })
    const again = await meOf(await browser().signIn('eva@skagen.example.net'))
    expect([again.id, again.email]).toEqual([id, 'eva@skagen.example.net'])
    expect(await rolesOf(id)).toEqual(['Viewer'])
  })

  test('links a user of the organization by the confirmed address, without new roles', async () => {
    const email = 'ole@skagen.example.net'
    const { body } = await admin.post<{ id: string }>('/flows/v1/users', {
      email,
      givenName: 'Ole',
      familyName: 'Dahl',
    })
    idp.signsIn(confirmed(newSub(), email))
    expect((await meOf(await browser().signIn(email))).id).toBe(body.id)
    expect(await rolesOf(body.id)).toEqual([])
  })

  test('answers alike for a known and an unknown address, and says that other domains use the password', async () => {
    const [known, unknown] = await Promise.all(
      ['ole@skagen.example.net', 'nobody@skagen.example.net'].map(async (email) => {
        const url = new URL((await browser().start(email)) as string)
        const {
          state: _,
          nonce: __,
          code_challenge: ___,
          login_hint: ____,
          ...fixed
        } = Object.fromEntries(url.searchParams)
        return [url.origin, url.pathname, fixed]
      }),
    )
    expect(known).toEqual(unknown)
    expect(known?.[2]).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'marketplace' })
    for (const email of ['ada@example.com', org.administrator.email])
      expect(await browser().start(email)).toBeUndefined()
  })

  test('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const response = await browser().post('/flows/v1/sso/start', { email: 'a@skagen.example.net' })
    expect(response.headers.get('set-cookie')).toMatch(
      /^marketplace-sso=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
  })

  test('that the person cancels leads back with a problem', async () => {
    idp.signsIn(undefined)
    expect(await browser().visit('ada@skagen.example.net')).toBe('sso-problem=declined')
  })
})

describe('no sign-in', () => {
  test('by an address that the provider does not confirm', async () => {
    for (const account of [
      { sub: newSub(), email: 'x@skagen.example.net', email_verified: false },
      { sub: newSub(), email: 'x@skagen.example.net' },
      { sub: newSub() },
    ]) {
      idp.signsIn(account)
      expect(await browser().visit('x@skagen.example.net')).toBe('sso-problem=email')
    }
  })

  test('by an address of a domain that is not proved, or of another organization', async () => {
    const other = await market.organization(['CONSUMER'])
    for (const email of [
      'x@example.com',
      other.administrator.email,
      org.administrator.email,
      'x@sub.skagen.example.net',
    ]) {
      idp.signsIn(confirmed(newSub(), email))
      expect(await browser().visit('x@skagen.example.net')).toBe('sso-problem=email')
    }
    const { body } = await other.administrator.client.post<{ id: string }>('/flows/v1/users', {
      email: 'squatter@skagen.example.net',
      givenName: 'A',
      familyName: 'B',
    })
    expect(body.id).toStartWith('user_')
    idp.signsIn(confirmed(newSub(), 'squatter@skagen.example.net'))
    expect(await browser().visit('squatter@skagen.example.net')).toBe('sso-problem=account')
  })

  test('of a deactivated user, linked or found by address, with the reason in the audit log', async () => {
    const sub = newSub()
    idp.signsIn(confirmed(sub, 'left@skagen.example.net'))
    const { id } = await meOf(await browser().signIn('left@skagen.example.net'))
    expect((await act(admin, id, 'deactivate')).status).toBe(200)
    expect(await browser().visit('left@skagen.example.net')).toBe('sso-problem=account')
    idp.signsIn(confirmed(newSub(), 'left@skagen.example.net'))
    expect(await browser().visit('left@skagen.example.net')).toBe('sso-problem=account')
    expect((await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)).toMatchObject({
      success: false,
      error: 'invalid_credentials',
      actor_id: id,
      request: { reason: 'user_inactive' },
    })
  })

  test('of a user who was deactivated after the provider answered', async () => {
    idp.signsIn(confirmed(newSub(), 'flight@skagen.example.net'))
    const { id } = await meOf(await browser().signIn('flight@skagen.example.net'))
    const window = browser()
    const fragment = await window.visit('flight@skagen.example.net')
    await act(admin, id, 'deactivate')
    await act(admin, id, 'activate')
    expect((await window.exchange(fragment)).status).toBe(401)
    expect((await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)?.request).toMatchObject({
      reason: 'user_changed',
    })
  })

  test('by the subject of another user after the issuer changed', async () => {
    const [first, second] = [await TestIdentityProvider.start(), await TestIdentityProvider.start()]
    const mover = await createdProvider(admin, { issuer: first.issuer, domains: ['mover.example.net'] })
    await Promise.all([first, second].map((each) => each.register(mover.redirectUrl)))
    await prove(admin, dns, mover, 'mover.example.net')
    first.signsIn(confirmed('1001', 'boss@mover.example.net'))
    const boss = await meOf(await browser().signIn('boss@mover.example.net'))
    expect((await patch(admin, `${PROVIDERS}/${mover.id}`, { issuer: second.issuer })).status).toBe(200)
    second.signsIn(confirmed('1001', 'temp@mover.example.net'))
    const temp = await meOf(await browser().signIn('temp@mover.example.net'))
    expect([temp.id === boss.id, temp.email]).toEqual([false, 'temp@mover.example.net'])
    first.stop()
    second.stop()
  })
})

describe('a code', () => {
  test('works once, in the browser that began, within a minute', async () => {
    idp.signsIn(confirmed(newSub(), 'once@skagen.example.net'))
    const window = browser()
    const fragment = await window.visit('once@skagen.example.net')
    const answers = await Promise.all(Array.from({ length: 3 }, () => window.exchange(fragment)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])

    const stolen = await window.visit('once@skagen.example.net')
    const thief = browser()
    await thief.start('once@skagen.example.net')
    expect((await thief.exchange(stolen)).status).toBe(401)
    expect((await window.exchange(stolen)).status).toBe(401)
    expect((await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)?.request).toMatchObject({
      reason: 'other_browser',
    })

    const late = await window.visit('once@skagen.example.net')
    await market.db.owner`update organization.sso_codes set expires_at = now()`
    expect((await window.exchange(late)).status).toBe(401)
  })
})

describe('a callback', () => {
  test('of another browser, without a cookie, or with a state that was used, is refused', async () => {
    idp.signsIn(confirmed(newSub(), 'call@skagen.example.net'))
    const window = browser()
    const callback = await window.toCallback((await window.start('call@skagen.example.net')) as string)
    const thief = browser()
    await thief.start('call@skagen.example.net')
    expect(await thief.land(callback)).toBe('sso-problem=expired')
    // The attempt of the other browser spent the state.
    expect(await window.land(callback)).toBe('sso-problem=expired')
    expect(await browser().land(callback)).toBe('sso-problem=expired')
    const next = await window.toCallback((await window.start('call@skagen.example.net')) as string)
    expect(await window.land(next)).toStartWith('sso=')
    expect(await window.land(next)).toBe('sso-problem=expired')
  })

  test('with a code of another sign-in, or with a code that was used, is refused', async () => {
    idp.signsIn(confirmed(newSub(), 'code@skagen.example.net'))
    const [window, thief] = [browser(), browser()]
    const victim = new URL(await window.toCallback((await window.start('code@skagen.example.net')) as string))
    const own = new URL(await thief.toCallback((await thief.start('code@skagen.example.net')) as string))
    own.searchParams.set('code', victim.searchParams.get('code') as string)
    expect(await thief.land(own.href)).toBe('sso-problem=provider')
    const again = new URL(await window.toCallback((await window.start('code@skagen.example.net')) as string))
    expect(await window.land(again.href)).toStartWith('sso=')
    const third = new URL(await window.toCallback((await window.start('code@skagen.example.net')) as string))
    third.searchParams.set('code', again.searchParams.get('code') as string)
    expect(await window.land(third.href)).toBe('sso-problem=provider')
  })

  test('of another provider, or that names another issuer, is refused', async () => {
    const second = await createdProvider(admin, {
      issuer: idp.issuer,
      clientId: 'other',
      domains: ['second.example.net'],
    })
    idp.signsIn(confirmed(newSub(), 'mix@skagen.example.net'))
    const window = browser()
    const toSecond = async () => {
      const url = await window.toCallback((await window.start('mix@skagen.example.net')) as string)
      return url.replace(provider.id, second.id)
    }
    expect(await window.land(await toSecond())).toBe('sso-problem=expired')
    const callback = new URL(await window.toCallback((await window.start('mix@skagen.example.net')) as string))
    expect(callback.searchParams.get('iss')).toBe(idp.issuer)
    callback.searchParams.set('iss', 'https://other.example.com')
    expect(await window.land(callback.href)).toBe('sso-problem=provider')
    const without = new URL(await window.toCallback((await window.start('mix@skagen.example.net')) as string))
    without.searchParams.delete('iss')
    expect(await window.land(without.href)).toBe('sso-problem=provider')
  })

  test('after the provider was changed or deleted is refused', async () => {
    const short = await createdProvider(admin, { issuer: idp.issuer, domains: ['short.example.net'] })
    await idp.register(provider.redirectUrl, short.redirectUrl)
    await prove(admin, dns, short, 'short.example.net')
    idp.signsIn(confirmed(newSub(), 'a@short.example.net'))
    const window = browser()
    const first = await window.toCallback((await window.start('a@short.example.net')) as string)
    await patch(admin, `${PROVIDERS}/${short.id}`, { clientSecret: 'another secret' })
    expect(await window.land(first)).toBe('sso-problem=expired')
    const second = await window.toCallback((await window.start('a@short.example.net')) as string)
    expect((await admin.send<IdentityProvider>('DELETE', `${PROVIDERS}/${short.id}`)).status).toBe(204)
    expect(await window.land(second)).toBe('sso-problem=expired')
    expect(await window.start('a@short.example.net')).toBeUndefined()
  })
})
