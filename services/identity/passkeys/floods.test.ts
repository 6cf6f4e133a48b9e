import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { requireSecondFactor, SignInBrowser, strictMember } from '../../testing/passkeys.ts'

const market = await marketplaceOf([], { TRUSTED_PROXIES: '1' })
const { owner } = market.db
const strict = await market.organization(['CONSUMER'])
await requireSecondFactor(market, strict.administrator.client)

let addresses = 0
/** A browser whose challenges count for no other one. */
const newBrowser = () => new SignInBrowser(market, `203.0.113.${++addresses}`)

test('a network has at most 200 open challenges', async () => {
  const browser = newBrowser()
  const answers = await Promise.all(Array.from({ length: 205 }, () => browser.start()))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeWithin(200, 205)
  expect((await browser.start()).status).toBe(429)
  expect((await newBrowser().start()).status).toBe(200)
})

test('the networks of one /48 of IPv6 have at most 2,000, so that one client keeps out no other', async () => {
  const later = new Date(Date.now() + 60_000).toISOString()
  await owner`
    insert into identity.passkey_challenges
      (challenge_hash, purpose, browser_hash, network, created_at, expires_at)
    select sha256(n::text::bytea), 'SIGN_IN', sha256(n::text::bytea), '2001:db8:9:' || to_hex(n % 100 + 1) || '::/64',
      ${later}, ${later}
    from generate_series(1, 1999) n`
  await owner`analyze identity.passkey_challenges`
  const from = async (address: string) => (await new SignInBrowser(market, address).start()).status
  expect([await from('2001:db8:9:aaaa::1'), await from('2001:db8:9:bbbb::1')]).toEqual([200, 429])
  expect([await from('2001:db8:90::1'), await from('198.51.100.1')]).toEqual([200, 200])
  const { email } = await strictMember(market, strict)
  expect((await new SignInBrowser(market, '2001:db8:9:cccc::1').password(email)).status).toBe(200)
  await owner`delete from identity.passkey_challenges where network like '2001:db8:9:%'`
})

test('20,000 open challenges refuse more of their kind: anonymous sign-ins keep out no second factor', async () => {
  const member = await strictMember(market, strict)
  const statuses = async () => [(await newBrowser().start()).status, (await newBrowser().password(member.email)).status]
  const later = new Date(Date.now() + 60_000).toISOString()
  await owner`
    insert into identity.passkey_challenges
      (challenge_hash, purpose, browser_hash, network, created_at, expires_at)
    select sha256(n::text::bytea), 'SIGN_IN', sha256(n::text::bytea), 'flood', ${later}, ${later}
    from generate_series(1, 20000) n`
  expect(await statuses()).toEqual([429, 200])
  await owner`
    update identity.passkey_challenges set purpose = 'SECOND_FACTOR', user_id = 'user_1', session_version = 1
    where network = 'flood'`
  expect(await statuses()).toEqual([200, 429])
  await owner`
    update identity.passkey_challenges set expires_at = ${new Date(Date.now() - 1000).toISOString()}
    where network = 'flood'`
  expect(await statuses()).toEqual([200, 200])
  await owner`delete from identity.passkey_challenges where network = 'flood'`
})
