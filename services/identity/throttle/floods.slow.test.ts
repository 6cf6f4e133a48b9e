import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { open } from '../../kit/service/run.ts'
import { ApiClient } from '../../testing/client.ts'
import { TEST_PASSWORD, testMarketplace } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'
import { createIdentity } from '../service.ts'

/** Floods of wrong sign-ins, with one hashing slot and a short queue. X-Forwarded-For sets the address of a request. */
setDefaultTimeout(60_000)
const settings = { TRUSTED_PROXIES: '1', HASHING_SLOTS: '1', HASHING_QUEUE: '20' }
const first = await testMarketplace(settings)
const org = await first.organization(['IP_OWNER'])
const { email } = org.administrator
const KNOWN = '198.51.100.7'

type Market = Pick<typeof first, 'anonymous'>
const signIn = ({ anonymous }: Market, address: string, username = email, password = TEST_PASSWORD) =>
  anonymous.post<{ error?: { code: string; message: string } }>(
    '/v2.3/oauth/token',
    { grant_type: 'password', username, password },
    { 'x-forwarded-for': address },
  )

type SignIn = (market: Market, address: string) => ReturnType<typeof signIn>

const ofUnknownAccount: SignIn = (market, address) =>
  signIn(market, address, `${crypto.randomUUID()}@example.com`, 'wrong')

/** Keeps a sign-in in flight from each address, and counts those that found the queue full. */
class Flood {
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>[]
  refused = 0

  constructor(market: Market, addresses: readonly string[], send = ofUnknownAccount) {
    this.#running = addresses.map((address) => this.#repeat(() => send(market, address)))
  }

  async #repeat(send: () => ReturnType<typeof signIn>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { status, body } = await send()
      if (body.error?.message.startsWith('Too many sign-ins')) this.refused++
      else if (status !== 200 && body.error?.code !== 'invalid_credentials') return
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `10.0.${n >> 7}.${(n & 127) + 1}`)

const flooded = async (flood: Flood, work: () => Promise<void>) => {
  await until(() => flood.refused > 0, { withinMs: 20_000 })
  await work()
  await flood.stop()
}

test('a flood of one address keeps no other one out', async () => {
  await flooded(new Flood(first, Array(30).fill('10.1.0.1')), async () => {
    for (let n = 0; n < 3; n++) expect((await signIn(first, '198.51.100.6')).status).toBe(200)
  })
})

test('a flood of valid sign-ins of one user from many networks keeps no other organization out', async () => {
  const attacker = (await first.organization(['IP_OWNER'])).administrator.email
  expect((await signIn(first, KNOWN)).status).toBe(200)
  const flood = new Flood(first, addresses(60), (market, address) => signIn(market, address, attacker))
  await flooded(flood, async () => {
    for (let n = 0; n < 5; n++) expect((await signIn(first, KNOWN)).status).toBe(200)
  })
})

test('a throttled sign-in is refused by the throttle, although the queue is full', async () => {
  for (let n = 0; n < 5; n++) await signIn(first, '198.51.100.5', email, 'wrong')
  await flooded(new Flood(first, addresses(60)), async () => {
    const { status, body } = await signIn(first, '198.51.100.5')
    expect([status, body.error?.message]).toEqual([429, expect.stringContaining('Too many failures.')])
  })
})

describe('a flood of more networks than the queue has places', () => {
  test('keeps no network out from which a user has signed in, not even after a restart', async () => {
    expect((await signIn(first, KNOWN)).status).toBe(200)
    await first.stop()
    const identity = await createIdentity(first.configOf('identity'))
    const restarted = await open({ services: [identity], config: first.config, ownerOf: () => identity })
    const second = { anonymous: new ApiClient(`http://127.0.0.1:${restarted.port}`) }
    await flooded(new Flood(second, addresses(60)), async () => {
      for (let n = 0; n < 5; n++) expect((await signIn(second, KNOWN)).status).toBe(200)
    })
    await restarted.stop()
  })
})
