import { describe, expect, test } from 'bun:test'
import type { PasskeyCreationOptions, PasskeyRequestOptions } from '../../../proto/http/identity/passkeys.ts'
import { TestAuthenticator } from '../../testing/authenticator.ts'
import { marketplaceOf, RACING, TEST_PASSWORD, type TestUser } from '../../testing/marketplace.ts'
import {
  addPasskey,
  PASSKEYS,
  requireSecondFactor,
  SignInBrowser,
  signsInByPassword,
  startedPasskey,
  strictMember,
} from '../../testing/passkeys.ts'
import { openActivation } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceOf([], { ...RACING, HASHING_SLOTS: '4' })
const org = await market.organization(['CONSUMER'])
const strict = await market.organization(['CONSUMER'])
await requireSecondFactor(market, strict.administrator.client)
const { owner } = market.db
const NEW_PASSWORD = 'another password of the user'

const SIGN_INS: Record<string, (user: TestUser) => Promise<number>> = {
  'a sign-in at the token endpoint': ({ email }) => signsInByPassword(market, email),
  'a sign-in of the console': async ({ email }) => (await new SignInBrowser(market).password(email)).status,
}

/** Each change with the sessions that it keeps: a password change keeps its own. */
const CHANGES: Record<string, { change: (user: TestUser) => Promise<{ status: number }>; kept: number }> = {
  'a password change': {
    change: ({ client }) =>
      client.post('/flows/v1/password/change', { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD }),
    kept: 1,
  },
  'the redemption of a link': {
    change: async ({ userId }) => {
      const token = await openActivation(market, userId)
      return market.anonymous.post('/flows/v1/activations', { token, password: NEW_PASSWORD })
    },
    kept: 0,
  },
}

const liveSessionsOf = async ({ userId }: TestUser) =>
  (await owner`select id from identity.sessions where user_id = ${userId} and ended_at is null`).length

/** Statements of this database that wait for a lock. */
const waiting = async () =>
  (await owner`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length

describe.each(Object.entries(SIGN_INS))('%s with the old password', (_, signIn) => {
  test.each(Object.entries(CHANGES))('that %s overtakes is 401 and leaves no session', async (_, { change, kept }) => {
    const user = await org.member([])
    let answers: Promise<[{ status: number }, number]> | undefined
    await owner.begin(async (tx) => {
      // The change has written the password, and waits for this lock before it ends the sessions.
      await tx`lock table identity.passkey_challenges in share mode`
      const changed = change(user)
      await until(async () => (await waiting()) === 1)
      answers = Promise.all([changed, signIn(user)])
      await until(async () => (await waiting()) === 2)
    })
    const [changed, signedIn] = await (answers as NonNullable<typeof answers>)
    expect([changed.status, signedIn, await liveSessionsOf(user)]).toEqual([204, 401, kept])
    const refused = await owner<{ error: string }[]>`
      select error from organization.audit_log
      where actor_id = ${user.userId} and procedure = 'auth.signIn' and not success`
    expect(refused.map(({ error }) => error)).toEqual(['invalid_credentials'])
    expect(await signsInByPassword(market, user.email, NEW_PASSWORD)).toBe(200)
  })

  test.each(Object.entries(CHANGES))('that is under way leaves no session after %s', async (_, { change, kept }) => {
    const user = await org.member([])
    let answers: Promise<[number, { status: number }]> | undefined
    await owner.begin(async (tx) => {
      // The password has been checked, and the sign-in waits for this lock.
      await tx`lock table identity.refresh_tokens in share mode`
      const signedIn = signIn(user)
      await until(async () => (await waiting()) === 1)
      let isChanged = false
      const changed = change(user).finally(() => {
        isChanged = true
      })
      answers = Promise.all([signedIn, changed])
      await until(async () => isChanged || (await waiting()) === 2)
    })
    const [, changed] = await (answers as NonNullable<typeof answers>)
    expect([changed.status, await liveSessionsOf(user)]).toEqual([204, kept])
  })
})

describe('a passkey after the old password', () => {
  test.each(Object.entries(CHANGES))('that %s overtakes is 401 and leaves no session', async (_, { change, kept }) => {
    const user = await strictMember(market, strict)
    const { authenticator } = await addPasskey(market, user.client)
    const browser = new SignInBrowser(market)
    const { passkey } = (await browser.password(user.email)).body
    if (!passkey) throw new Error('no challenge')
    let signedIn: Promise<{ status: number }> | undefined
    await owner.begin(async (tx) => {
      // The challenge is used up, and the sign-in waits for this lock.
      await tx`lock table identity.passkeys`
      signedIn = browser.finish(authenticator.get(passkey))
      await until(async () => (await waiting()) === 1)
      expect((await change(user)).status).toBe(204)
    })
    const { status } = await (signedIn as NonNullable<typeof signedIn>)
    expect([status, await liveSessionsOf(user)]).toEqual([401, kept])
  })
})

describe('a first passkey after the old password', () => {
  test.each(Object.entries(CHANGES))('that %s overtakes is 401 and is not added', async (_, { change, kept }) => {
    const user = await strictMember(market, strict)
    const browser = new SignInBrowser(market)
    const { firstPasskey } = (await browser.password(user.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    const credential = new TestAuthenticator(market.config.PUBLIC_URL).create(firstPasskey)
    let answers: Promise<{ status: number }[]> | undefined
    await owner.begin(async (tx) => {
      // The change waits for this lock, and behind it the sign-in, whose challenge is used up.
      await tx`select organization.lock_organization(${user.orgId})`
      const changed = change(user)
      await until(async () => (await waiting()) === 1)
      answers = Promise.all([changed, browser.first(credential)])
      await until(async () => (await waiting()) === 2)
    })
    const statuses = (await (answers as NonNullable<typeof answers>)).map(({ status }) => status)
    expect([statuses, await liveSessionsOf(user)]).toEqual([[204, 401], kept])
    expect(await owner`select id from identity.passkeys where user_id = ${user.userId}`).toHaveLength(0)
  })
})

/** Sends a request while a change waits for a lock. The request then waits for it as well. */
async function overtaken({ orgId }: TestUser, change: () => Promise<unknown>, send: () => Promise<{ status: number }>) {
  let answer: Promise<{ status: number }> | undefined
  await owner.begin(async (tx) => {
    await tx`select organization.lock_organization(${orgId})`
    const changed = change()
    await until(async () => (await waiting()) === 1)
    answer = Promise.all([send(), changed]).then(([sent]) => sent)
    await until(async () => (await waiting()) === 2)
  })
  return (await (answer as NonNullable<typeof answer>)).status
}

describe('a passkey of a session that goes on after a password change', () => {
  const changeOf = (user: TestUser) => () =>
    user.client.post('/flows/v1/password/change', { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD })

  test('is not begun by the old password (400)', async () => {
    const user = await org.member([])
    const start = () => user.client.post(`${PASSKEYS}/start`, { currentPassword: TEST_PASSWORD })
    expect(await overtaken(user, changeOf(user), start)).toBe(400)
    expect(await signsInByPassword(market, user.email, NEW_PASSWORD)).toBe(200)
  })

  test('is not added (400) where the old password began it', async () => {
    const user = await org.member([])
    const credential = new TestAuthenticator(market.config.PUBLIC_URL).create(await startedPasskey(user.client))
    const create = () => user.client.post(PASSKEYS, { name: 'Phone', credential })
    expect(await overtaken(user, changeOf(user), create)).toBe(400)
    expect(await owner`select id from identity.passkeys where user_id = ${user.userId}`).toHaveLength(0)
  })
})

describe('a passkey that another one began, which is removed,', () => {
  async function confirmed() {
    const user = await org.member([])
    const { client } = user
    const { authenticator, passkey } = await addPasskey(market, client)
    const options = await client.post<PasskeyRequestOptions>(`${PASSKEYS}/confirm`)
    const assertion = authenticator.get(options.body)
    const start = () => client.post<PasskeyCreationOptions>(`${PASSKEYS}/start`, { assertion })
    const begun = async () => {
      const credential = new TestAuthenticator(market.config.PUBLIC_URL).create((await start()).body)
      return () => client.post(PASSKEYS, { name: 'Phone', credential })
    }
    return { user, start, begun, remove: () => client.send('DELETE', `${PASSKEYS}/${passkey.id}`) }
  }

  test('is not added (400)', async () => {
    const { begun, remove } = await confirmed()
    const create = await begun()
    expect((await remove()).status).toBe(204)
    expect((await create()).status).toBe(400)
  })

  test('is not added (400) while it is removed', async () => {
    const { user, begun, remove } = await confirmed()
    expect(await overtaken(user, remove, await begun())).toBe(400)
    expect(await owner`select id from identity.passkeys where user_id = ${user.userId}`).toHaveLength(0)
  })

  test('is not begun (400) while it is removed', async () => {
    const { user, start, remove } = await confirmed()
    expect(await overtaken(user, remove, start)).toBe(400)
  })
})

test('of concurrent sign-ins that upgrade an outdated hash, each succeeds', async () => {
  const old = await Bun.password.hash(TEST_PASSWORD, { algorithm: 'argon2id', memoryCost: 8192, timeCost: 1 })
  for (let round = 0; round < 3; round++) {
    const { userId, email } = await org.member([])
    await owner`update identity.credentials set password_hash = ${old} where user_id = ${userId}`
    const statuses = await Promise.all([1, 2, 3].map(() => signsInByPassword(market, email)))
    expect(statuses).toEqual([200, 200, 200])
  }
})
