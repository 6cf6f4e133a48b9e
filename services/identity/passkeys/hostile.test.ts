import { describe, expect, test } from 'bun:test'
import type { PasskeyRequestOptions } from '../../../proto/http/identity/passkeys.ts'
import { type Lies, otherKey, TestAuthenticator, WRONG_ANSWERS } from '../../testing/authenticator.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import {
  addPasskey,
  PASSKEYS,
  requireSecondFactor,
  SignInBrowser,
  startedPasskey,
  strictMember,
} from '../../testing/passkeys.ts'
import { entriesOf, type Problem } from '../../testing/people.ts'

let aheadMs = 0
const clock = () => Date.now() + aheadMs
const market = await marketplaceOf([], { TRUSTED_PROXIES: '1' }, undefined, { clock })
const org = await market.organization(['CONSUMER'])
const strict = await market.organization(['CONSUMER'])
await requireSecondFactor(market, strict.administrator.client)

let addresses = 0
/** A browser whose failures throttle no other one. */
const newBrowser = () => new SignInBrowser(market, `203.0.113.${++addresses}`)
const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)

/** The answer to everything that is wrong, whatever it is. */
const REFUSED = { status: 401, code: 'invalid_credentials', detail: 'The passkey is not valid.' }
const shown = ({ status, body }: { status: number; body: Problem }) => ({
  status,
  code: body.code,
  detail: body.detail,
})
const lastReason = async (orgId: string) => {
  const entry = (await entriesOf(market, orgId, 'auth.signIn')).at(-1)
  return [entry?.success, entry?.error, entry?.request.reason]
}

describe('a sign-in by passkey', () => {
  test('opens a session of the person, whose use is counted and audited', async () => {
    const member = await org.member([])
    const { authenticator, passkey } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const options = (await browser.start()).body
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
    } as never)
    expect(browser.cookie).toMatch(/^marketplace-passkey=[\w-]{43}$/)
    const { status, body } = await browser.finish(authenticator.get(options))
    expect([status, body.email, body.token_type]).toEqual([200, member.email, 'Bearer'])
    member.client.accessToken = body.access_token
    expect((await member.client.get<{ user: { id: string } }>('/flows/v1/me')).body.user.id).toBe(member.userId)
    expect((await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)).toEqual({
      success: true,
      error: null,
      actor_id: member.userId,
      request: { passkeyId: passkey.id },
    })
    expect(
      (await member.client.get<{ lastUsedTime?: string }>(`${PASSKEYS}/${passkey.id}`)).body.lastUsedTime,
    ).toBeDefined()
  })

  test.each(WRONG_ANSWERS)('with an answer %s is refused, audited, and uses up the challenge', async (_, lies) => {
    const member = await org.member([])
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const options = (await browser.start()).body
    expect(shown(await browser.finish(authenticator.get(options, lies)))).toEqual(REFUSED)
    const [success, error, reason] = await lastReason(org.orgId)
    expect([success, error]).toEqual([false, 'invalid_credentials'])
    expect(reason).toBe('challenge' in lies || lies.crossOrigin ? 'challenge_unknown' : 'not_verified')
    // A challenge that was named is used up.
    if (reason === 'not_verified') expect(shown(await browser.finish(authenticator.get(options)))).toEqual(REFUSED)
    expect((await newBrowser().byPasskey(authenticator)).status).toBe(200)
  })

  test('with an answer that was sent before is refused', async () => {
    const member = await org.member([])
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const answer = authenticator.get((await browser.start()).body)
    expect((await browser.finish(answer)).status).toBe(200)
    expect(shown(await browser.finish(answer))).toEqual(REFUSED)
    expect(await lastReason(org.orgId)).toEqual([false, 'invalid_credentials', 'challenge_unknown'])
  })

  test('in another browser than the one that began, or without its cookie, is refused', async () => {
    const { client } = await org.member([])
    const { authenticator } = await addPasskey(market, client)
    for (const cookie of [undefined, await otherCookie()]) {
      const options = (await newBrowser().start()).body
      const thief = newBrowser()
      thief.cookie = cookie
      expect(shown(await thief.finish(authenticator.get(options)))).toEqual(REFUSED)
      expect(await lastReason(org.orgId)).toEqual([false, 'invalid_credentials', 'other_browser'])
    }
  })

  test('after five minutes is refused', async () => {
    const { client } = await org.member([])
    const { authenticator } = await addPasskey(market, client)
    const browser = newBrowser()
    const options = (await browser.start()).body
    aheadMs += 5 * 60_000 + 1000
    expect(shown(await browser.finish(authenticator.get(options)))).toEqual(REFUSED)
    expect(await lastReason(org.orgId)).toEqual([false, 'invalid_credentials', 'challenge_unknown'])
    aheadMs = 0
  })

  test('with a counter that goes back or stays is refused and audited; the next higher one works', async () => {
    const { client } = await org.member([])
    const { authenticator, passkey } = await addPasskey(market, client)
    expect((await newBrowser().byPasskey(authenticator, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0]) {
      expect(shown(await newBrowser().byPasskey(authenticator, { counter }))).toEqual(REFUSED)
      const entry = (await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)
      expect(entry?.request).toEqual({ passkeyId: passkey.id, reason: 'counter_went_back' })
    }
    expect((await newBrowser().byPasskey(authenticator, { counter: 8 })).status).toBe(200)
  })

  test('with a counter that goes back is audited also while the person has to wait', async () => {
    const { client } = await org.member([])
    const { authenticator, passkey } = await addPasskey(market, client)
    const browser = newBrowser()
    expect((await browser.byPasskey(authenticator, { counter: 7 })).status).toBe(200)
    for (let n = 0; n < 5; n++) await browser.byPasskey(authenticator, { signedBy: otherKey() })
    const entries = async () => (await entriesOf(market, org.orgId, 'auth.signIn')).length
    const before = await entries()
    expect((await browser.byPasskey(authenticator, { signedBy: otherKey() })).status).toBe(429)
    expect(await entries()).toBe(before)
    expect((await browser.byPasskey(authenticator, { counter: 7 })).status).toBe(429)
    const entry = (await entriesOf(market, org.orgId, 'auth.signIn')).at(-1)
    expect([await entries(), entry?.request]).toEqual([
      before + 1,
      { passkeyId: passkey.id, reason: 'counter_went_back' },
    ])
  })

  test('as a confirmation, with a counter that goes back, is audited also while the person has to wait', async () => {
    const { client } = await org.member([])
    const { authenticator, passkey } = await addPasskey(market, client)
    const confirm = async (lies: Lies) => {
      const { body } = await client.post<PasskeyRequestOptions>(`${PASSKEYS}/confirm`)
      return (await client.post(`${PASSKEYS}/start`, { assertion: authenticator.get(body, lies) })).status
    }
    expect(await confirm({ counter: 7 })).toBe(200)
    for (let n = 0; n < 5; n++) expect(await confirm({ signedBy: otherKey() })).toBe(400)
    expect(await confirm({ counter: 7 })).toBe(429)
    const entry = (await entriesOf(market, org.orgId, 'passkey.start')).at(-1)
    expect(entry?.request).toEqual({ passkeyId: passkey.id, reason: 'counter_went_back' })
  })

  test('with an authenticator without a counter works each time', async () => {
    const { client } = await org.member([])
    const authenticator = new TestAuthenticator(market.config.PUBLIC_URL, { counts: false })
    await addPasskey(market, client, { authenticator })
    for (let n = 0; n < 3; n++) expect((await newBrowser().byPasskey(authenticator)).status).toBe(200)
  })

  test('with a removed passkey and with an unknown one gets the same answer', async () => {
    const { client } = await org.member([])
    const { authenticator, passkey } = await addPasskey(market, client)
    expect((await client.send('DELETE', `${PASSKEYS}/${passkey.id}`)).status).toBe(204)
    const unknown = newAuthenticator()
    unknown.create(await startedPasskey(client))
    for (const each of [authenticator, unknown]) expect(shown(await newBrowser().byPasskey(each))).toEqual(REFUSED)
  })

  test('of a deactivated person is refused, and works again once active', async () => {
    const member = await org.member([])
    const { authenticator } = await addPasskey(market, member.client)
    const path = `/flows/v1/users/${member.userId}`
    await org.administrator.client.post(`${path}/deactivate`)
    expect(shown(await newBrowser().byPasskey(authenticator))).toEqual(REFUSED)
    expect(await lastReason(org.orgId)).toEqual([false, 'invalid_credentials', 'user_inactive'])
    await org.administrator.client.post(`${path}/activate`)
    expect((await newBrowser().byPasskey(authenticator)).status).toBe(200)
  })

  test('a challenge of another purpose is refused, in both directions', async () => {
    const member = await org.member([])
    const { authenticator } = await addPasskey(market, member.client)
    const ofSignIn = (await newBrowser().start()).body
    const asCreation = { ...(await startedPasskey(member.client)), challenge: ofSignIn.challenge }
    const credential = newAuthenticator().create(asCreation)
    expect((await member.client.post(PASSKEYS, { name: 'X', credential })).status).toBe(400)
    expect((await newBrowser().first(credential)).status).toBe(401)
    const ofAccount = await startedPasskey(member.client)
    const request = {
      challenge: ofAccount.challenge,
      rpId: 'localhost',
      timeout: 1,
      userVerification: 'required',
    } as const
    expect(shown(await newBrowser().finish(authenticator.get(request)))).toEqual(REFUSED)
    const { body } = await member.client.post<typeof request>(`${PASSKEYS}/confirm`)
    expect(shown(await newBrowser().finish(authenticator.get(body)))).toEqual(REFUSED)
    const browser = newBrowser()
    const started = (await browser.start()).body
    const answer = await member.client.post(`${PASSKEYS}/start`, { assertion: authenticator.get(started) })
    expect(answer.status).toBe(400)
  })

  test('failures are throttled by passkey and network, and a right answer is not', async () => {
    const member = await org.member([])
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    for (let n = 0; n < 5; n++)
      expect((await browser.byPasskey(authenticator, { signedBy: otherKey() })).status).toBe(401)
    const answer = await browser.byPasskey(authenticator, { signedBy: otherKey() })
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await browser.byPasskey(authenticator)).status).toBe(200)
  })
})

async function otherCookie(): Promise<string | undefined> {
  const other = newBrowser()
  await other.start()
  return other.cookie
}

describe('the second factor', () => {
  test.each(WRONG_ANSWERS)('with an answer %s is refused, and uses up the challenge', async (_, lies) => {
    const member = await strictMember(market, strict)
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const { passkey } = (await browser.password(member.email)).body
    if (!passkey) throw new Error('no challenge')
    expect(shown(await browser.finish(authenticator.get(passkey, lies)))).toEqual(REFUSED)
    if (!('challenge' in lies))
      expect((await browser.finish(authenticator.get(passkey))).status).toBe(lies.crossOrigin ? 200 : 401)
  })

  test.each([
    ['a colleague', () => strictMember(market, strict)],
    ['a person of another organization', () => org.member([])],
  ])('with the passkey of %s is refused', async (_, other) => {
    const member = await strictMember(market, strict)
    await addPasskey(market, member.client)
    const { authenticator } = await addPasskey(market, (await other()).client)
    const browser = newBrowser()
    const { passkey } = (await browser.password(member.email)).body
    if (!passkey) throw new Error('no challenge')
    expect(shown(await browser.finish(authenticator.get(passkey)))).toEqual(REFUSED)
    const entry = (await entriesOf(market, strict.orgId, 'auth.signIn')).at(-1)
    expect([entry?.actor_id, entry?.request.reason]).toEqual([member.userId, 'other_user'])
  })
})

test('the password of a person is not told by the answers of the sign-in: known and unknown are the same', async () => {
  const known = await org.member([])
  await addPasskey(market, known.client)
  const ofStrict = await strictMember(market, strict)
  const answers = await Promise.all(
    [known.email, ofStrict.email, 'unknown@example.com'].map((email) =>
      newBrowser().password(email, 'not the password'),
    ),
  )
  const shapes = answers.map(({ status, body, headers }) => [
    status,
    { ...body, requestId: '' },
    headers.getSetCookie().length,
  ])
  expect(shapes[1]).toEqual(shapes[0] as never)
  expect(shapes[2]).toEqual(shapes[0] as never)
  expect(shapes[0]?.[0]).toBe(401)
  expect((await newBrowser().password(known.email, TEST_PASSWORD)).status).toBe(200)
})
