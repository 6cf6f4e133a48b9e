import { describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { interruptedFetch } from '../../../../services/testing/interrupted-fetch.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { createdAccount, createdKey } from '../../../../services/testing/service-accounts.ts'
import { openSession } from '../../../../services/testing/sessions.ts'
import { until } from '../../../../services/testing/until.ts'
import {
  ApiError,
  accessToken,
  type Credentials,
  createMarketplace,
  password,
  type RefreshTokenStore,
  refreshToken,
  serviceAccount,
} from '../src/index.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { url } = market
const org = await market.organization(['IP_OWNER'])
const { email, client: admin } = org.administrator
const FOR_PROGRAMS = '/flows/v1/oauth/token'
const FOR_USERS = '/v2.3/oauth/token'

const newKey = async () => createdKey(admin, (await createdAccount(admin)).id)
const clientOf = (credentials: Credentials, clientFetch = interruptedFetch('')) => ({
  ...createMarketplace({ url, credentials, fetch: clientFetch.fetch }),
  ...clientFetch,
})
const me = async (client: ReturnType<typeof clientOf>) => (await client.GET('/flows/v1/me')).data

/** A revocation reaches every service within a second. */
const untilRefused = ({ sent }: ReturnType<typeof clientOf>) =>
  until(async () => {
    const authorization = sent.at(-1)?.headers.get('authorization') ?? ''
    return (await market.anonymous.get('/flows/v1/me', { headers: { authorization } })).status === 401
  })

describe('a service account', () => {
  test('obtains one token for many requests at once', async () => {
    const client = clientOf(serviceAccount(await newKey()))
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(client)))
    expect(answers.every(({ user }) => user.givenName === 'ERP connector')).toBe(true)
    expect(client.to(FOR_PROGRAMS)).toHaveLength(1)
  })

  test('obtains another one when the token is refused, and repeats the request', async () => {
    const key = await newKey()
    const client = clientOf(serviceAccount(key))
    await me(client)
    const token = client.to('/flows/v1/me')[0]?.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    const form = { token, client_id: key.clientId, client_secret: key.clientSecret }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await market.anonymous.post('/flows/v1/oauth/revoke', form, headers)).status).toBe(200)
    await untilRefused(client)
    const answers = await Promise.all(Array.from({ length: 5 }, () => me(client)))
    expect(answers).toHaveLength(5)
    expect(client.to(FOR_PROGRAMS)).toHaveLength(2)
  })

  test('with a wrong secret is refused with the word and the reason of OAuth, once', async () => {
    const { clientId } = await newKey()
    const client = clientOf(serviceAccount({ clientId, clientSecret: 'wrong' }))
    const error = await me(client).catch((each) => each)
    expect(error).toBeInstanceOf(ApiError)
    expect([error.status, error.code]).toEqual([401, 'invalid_client'])
    expect(error.message).toBe('POST /flows/v1/oauth/token answered 401: The client id or the secret is wrong.')
    expect(client.sent).toHaveLength(1)
  })
})

describe('a user with a password', () => {
  const credentials = password({ email, password: TEST_PASSWORD })

  test('signs in once, and refreshes the session before its token ends', async () => {
    using _ = { [Symbol.dispose]: () => setSystemTime() }
    const client = clientOf(credentials)
    const session = async () => (await client.GET('/flows/v1/sessions')).data.items.find(({ current }) => current)?.id
    const first = await session()
    setSystemTime(Date.now() + 860_000)
    expect(await session()).toBe(first)
    expect(client.to(FOR_USERS)).toHaveLength(1)
    setSystemTime(Date.now() + 20_000)
    expect(await Promise.all([session(), session()])).toEqual([first, first])
    expect(client.to(FOR_USERS)).toHaveLength(2)
  })

  test('signs in again after the session has ended', async () => {
    const client = clientOf(credentials)
    const { data } = await client.GET('/flows/v1/sessions')
    const current = data.items.find((session) => session.current)?.id ?? ''
    await admin.post(`/flows/v1/sessions/${current}/end`)
    await untilRefused(client)
    expect((await me(client)).user.email).toBe(email)
    // The first sign-in, the refresh that fails, and the second sign-in.
    expect(client.to(FOR_USERS)).toHaveLength(3)
  })

  test('is named in the session with the program, the client and the runtime', async () => {
    const client = createMarketplace({ url, credentials, program: 'erp-connector/2.1' })
    const { data } = await client.GET('/flows/v1/sessions')
    const [current] = data.items.filter((session) => session.current)
    expect(current?.userAgent).toMatch(/^erp-connector\/2\.1 marketplace-client\/0\.1\.0 Bun\//)
  })
})

describe('a refresh token that processes share', () => {
  /** Keeps the token in memory; a second exchange waits for the first one. */
  function storeOf(token: string): RefreshTokenStore & { token: string } {
    let last: Promise<unknown> = Promise.resolve()
    const store = {
      token,
      exchange(use: Parameters<RefreshTokenStore['exchange']>[0]) {
        const exchanged = last.then(async () => {
          const tokens = await use(store.token)
          store.token = tokens.refreshToken ?? ''
          return tokens
        })
        last = exchanged.catch(() => undefined)
        return exchanged
      },
    }
    return store
  }

  test('is exchanged by each, and its successor is kept', async () => {
    const session = await openSession(market, org.administrator)
    const store = storeOf(session.refreshToken)
    const clients = [clientOf(refreshToken(store)), clientOf(refreshToken(store))]
    for (const client of clients) expect((await me(client)).user.email).toBe(email)
    expect(store.token).not.toBe(session.refreshToken)
  })
})

describe('the exchange of a refresh token', () => {
  const FIRST = { access_token: 'a', refresh_token: 'first', token_type: 'Bearer', expires_in: 900 }
  const busy = (retryAfter: string) => new Response('busy', { status: 503, headers: { 'retry-after': retryAfter } })
  const store: RefreshTokenStore = { exchange: (use) => use('first') }

  /** The error of a request whose exchange is answered so, and how often the token was sent. */
  async function exchanged(answer: (attempt: number) => Response, credentials = refreshToken(store)) {
    using _ = { [Symbol.dispose]: () => setSystemTime() }
    let attempts = 0
    const clientFetch = async () => answer(++attempts)
    const error = await createMarketplace({ url, credentials, fetch: clientFetch })
      .GET('/flows/v1/me')
      .catch((each) => each)
    return { error, attempts }
  }
  const pass = (ms: number) => setSystemTime(Date.now() + ms)

  test('has four seconds for an attempt; that of a password has a minute', async () => {
    using timeout = spyOn(AbortSignal, 'timeout')
    await exchanged(() => new Response(null, { status: 400 }))
    await exchanged(() => new Response(null, { status: 400 }), password({ email, password: TEST_PASSWORD }))
    expect(timeout.mock.calls).toEqual([[4000], [60_000]])
  })

  test('is sent again only within nine seconds, because a later use ends the session', async () => {
    const { error, attempts } = await exchanged(() => {
      pass(4600)
      return busy('0')
    })
    expect([error.status, attempts]).toEqual([503, 2])
    const lost = await exchanged(() => {
      pass(4600)
      throw new TypeError('fetch failed')
    })
    expect([lost.error.name, lost.attempts]).toEqual(['NetworkError', 2])
  })

  test('does not wait for a longer Retry-After', async () => {
    const { error, attempts } = await exchanged(() => busy('10'))
    expect([error.status, attempts]).toEqual([503, 1])
  })

  test('is not sent again by a machine that slept during the pause', async () => {
    const { error, attempts } = await exchanged(() => {
      setTimeout(() => pass(60_000), 0)
      return busy('0')
    })
    expect([error.message, attempts]).toEqual([
      `POST ${url}/v2.3/oauth/token has no answer after 1 attempt: the time to send it again is over`,
      1,
    ])
  })

  test('is sent again after a short pause', async () => {
    const { attempts } = await exchanged((attempt) => (attempt === 1 ? busy('0') : Response.json(FIRST)))
    // The third request is that of the operation.
    expect(attempts).toBe(3)
  })
})

describe('a given access token', () => {
  test('is sent as it is; a refused one is asked for again once', async () => {
    const { accessToken: valid } = await openSession(market, org.administrator)
    expect((await me(clientOf(accessToken(valid)))).user.email).toBe(email)
    const tokens = ['no.valid.token', valid]
    expect((await me(clientOf(accessToken(() => tokens.shift() ?? valid)))).user.email).toBe(email)
    const refused = await me(clientOf(accessToken('no.valid.token'))).catch((each) => each)
    expect([refused.status, refused.code]).toEqual([401, 'unauthorized'])
  })
})

test('without credentials public operations are called without a token', async () => {
  const client = clientOf(undefined as unknown as Credentials)
  expect((await client.GET('/.well-known/jwks.json')).data.keys.length).toBeGreaterThan(0)
  expect(client.sent[0]?.headers.has('authorization')).toBe(false)
})
