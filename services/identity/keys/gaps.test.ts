import { expect, test } from 'bun:test'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceOf([])
const { owner } = market.db

const published = async () =>
  (await market.anonymous.get<{ keys: { kid: string }[] }>('/.well-known/jwks.json')).body.keys.map(({ kid }) => kid)

test('a key whose revocation was missed in an interruption is not published during an outage after it', async () => {
  const before = await published()
  expect(before).toHaveLength(1)
  await owner.begin(async (tx) => {
    await tx`lock table identity.signing_keys in access exclusive mode`
    await tx`delete from identity.signing_keys`
    await tx`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'identity-notifier'`
    const isRead = async () =>
      (
        await owner`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%identity.published_keys%'`
      ).length > 0
    await until(isRead, { what: 'the read of the published keys' })
  })
  // It has one connection, so the answer comes after the read.
  const grant = { grant_type: 'password', username: 'nobody@example.com', password: TEST_PASSWORD }
  expect((await market.anonymous.post('/v2.3/oauth/token', grant)).status).toBe(401)
  await owner.begin(async (tx) => {
    // Reads of the keys fail as long as it lasts.
    await tx`lock table identity.signing_keys in access exclusive mode`
    expect(await published()).toEqual([])
  })
})
