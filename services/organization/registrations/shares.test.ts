import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { Registration } from '../../../proto/http/organization/registrations.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import type { Page } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { cleanUpRegistrations } from './commands.ts'

const PATH = '/flows/v1/registrations'
const NO_SIGNAL = new AbortController().signal
const { market, server } = await marketplaceWithMail([], {
  REGISTRATION: 'approval',
  TRUSTED_PROXIES: '1',
  MAIL_HOURLY_MAX: '3',
})
const { client: operator, orgId: operatorId } = (await market.operator()).administrator
const { owner } = market.db
const sql = connect(market.db.urlOf('organization'), { max: 1, applicationName: 'test' })
afterAll(() => sql.end())
beforeEach(async () => {
  await owner`delete from organization.registrations`
})

const requestOf = (email: string) => ({
  organization: { name: 'Works', regionCode: 'DK', roles: ['MANUFACTURER'] },
  user: { email, givenName: 'Ida', familyName: 'Holm' },
})

/** Registers companies from one network. */
async function register(network: string, count: number) {
  const emails = Array.from({ length: count }, newAddress)
  for (const email of emails) expect((await requestFrom(network, email)).status).toBe(204)
  return emails
}
const requestFrom = (network: string, email = newAddress()) =>
  market.anonymous.post(PATH, requestOf(email), { 'x-forwarded-for': network })
const listWaiting = async () => {
  const rows = await owner<{ email: string }[]>`
    select email from organization.registrations where not handled order by id`
  return rows.map(({ email }) => email)
}
const waitFor = (emails: readonly string[]) =>
  until(async () => (await listWaiting()).join() === emails.join(), { what: 'the requests that wait' })
/** Lets an hour pass since the mail to an address. */
const forgetMail = (email: string) => owner`
  update organization.mails set created_at = created_at - interval '1 hour' where registration_id in (
    select id from organization.registrations where email = ${email})`
const confirm = async (email: string) => {
  const [mail] = await server.arrived(email, 1)
  if (!mail) throw new Error('no mail')
  return market.anonymous.post(`${PATH}/confirm`, { token: tokenIn(mail, `${PUBLIC_URL}/console/register#`) })
}

test('the next mail is for the network that got the fewest within an hour', async () => {
  const [first = '', ...others] = await register('192.0.2.1', 5)
  await waitFor(others.slice(2))
  const late = await register('192.0.2.2', 1)
  expect(await listWaiting()).toEqual([...others.slice(2), ...late])
  await forgetMail(first)
  await waitFor(others.slice(2))
  expect((await confirm(late[0] ?? '')).status).toBe(200)
})

test('a request that waited for its mail for more than a day stays, and its link works for a day', async () => {
  const [first = '', second = '', third = '', late = ''] = await register('192.0.2.1', 4)
  await waitFor([late])
  await owner`update organization.registrations set created_at = created_at - interval '30 hours' where email = ${late}`
  await cleanUpRegistrations({ sql, sendsMail: true }, new Date().toISOString(), NO_SIGNAL)
  expect(await listWaiting()).toEqual([late])
  await forgetMail(first)
  await waitFor([])
  await cleanUpRegistrations({ sql, sendsMail: true }, new Date().toISOString(), NO_SIGNAL)
  expect((await confirm(late)).status).toBe(200)
  await owner`
    update organization.registrations set handled_at = handled_at - interval '24 hours' where email = ${second}`
  expect([(await confirm(second)).status, (await confirm(third)).status]).toEqual([404, 200])
})

test('a request that waits is deleted after a day where no mail is sent any more', async () => {
  const [, , , late = ''] = await register('192.0.2.1', 4)
  await waitFor([late])
  const after = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await cleanUpRegistrations({ sql, sendsMail: false }, after(23), NO_SIGNAL)
  expect(await listWaiting()).toEqual([late])
  await cleanUpRegistrations({ sql, sendsMail: false }, after(25), NO_SIGNAL)
  expect(await listWaiting()).toEqual([])
})

test('a request waits for its mail while there is no operator', async () => {
  const [first = '', , , late = ''] = await register('192.0.2.1', 4)
  await waitFor([late])
  await owner.begin(async (tx) => {
    await tx`lock table organization.organizations in access exclusive mode`
    await tx`update organization.organizations set operator = false where operator`
    await forgetMail(first)
    const isAsked = async () =>
      (
        await owner`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%from organization.organizations where operator%'`
      ).length > 0
    await until(isAsked, { what: 'the worker that looks for the operator' })
  })
  // It waits for the end of the worker's transaction, if that took the request.
  await owner.begin((tx) => tx`lock table organization.registrations in access exclusive mode`)
  expect(await listWaiting()).toEqual([late])
  await owner`update organization.organizations set operator = true where id = ${operatorId}`
  expect((await confirm(late)).status).toBe(200)
})

test('the mail of a rejection uses no share of the applicants', async () => {
  const [email = ''] = await register('192.0.2.1', 1)
  expect((await confirm(email)).status).toBe(200)
  const { items } = (await operator.get<Page<Registration>>(`${PATH}?state=PENDING`)).body
  expect((await operator.post(`${PATH}/${items[0]?.id}/reject`, { reason: 'No.' })).status).toBe(200)
  await server.arrived(email, 2)
  await register('192.0.2.1', 2)
  await waitFor([])
})

/** A thousand requests that have waited for hours: the same number from each network. */
async function flood(networks: readonly string[]) {
  // The hour's mails are sent, so that these wait.
  await register('192.0.2.200', 3)
  await waitFor([])
  await owner`
    insert into organization.registrations (id, content, email, email_key, name, network, created_at)
    select 'registration_0' || lpad(n::text, 25, '0'), ${JSON.stringify(requestOf('flood@example.org'))}::text::json,
      'flood-' || n || '@example.org', 'flood-' || n || '@example.org', 'Works',
      (${[...networks]}::text[])[1 + n % ${networks.length}], now() - interval '3 hours'
    from generate_series(0, 999) n`
  await owner`analyze organization.registrations`
}
const waitingOf = async (pattern: string) => {
  const [row] = await owner<[{ count: number }]>`
    select count(*)::int as count from organization.registrations where not handled and network like ${pattern}`
  return row.count
}

test.each([
  ['two networks', ['198.51.100.1', '198.51.100.2']],
  ['a /48 of IPv6', Array.from({ length: 1000 }, (_, n) => `2001:db8:7:${n.toString(16)}::/64`)],
])('a thousand requests of %s that wait give way to those of others, which get the next mail', async (_, networks) => {
  await flood(networks)
  const late = newAddress()
  expect((await requestFrom('192.0.2.7', late)).status).toBe(204)
  expect([await waitingOf('192.0.2.7'), await waitingOf('%')]).toEqual([1, 1000])
  // The newest one of a network gave way.
  expect((await listWaiting()).filter((email) => /^flood-99[89]@/.test(email))).toHaveLength(1)
  await owner`update organization.mails set created_at = created_at - interval '1 hour'`
  expect((await confirm(late)).status).toBe(200)
})

test('requests that wait give way to none of a network that has as many, nor of one that had its twenty', async () => {
  const networks = Array.from({ length: 500 }, (_, n) => `198.51.${n >> 8}.${n & 255}`)
  await flood(networks)
  expect([(await requestFrom('192.0.2.7')).status, (await requestFrom('192.0.2.7')).status]).toEqual([204, 429])
  await owner`
    insert into organization.registrations (id, content, email, email_key, name, network, created_at, handled)
    select 'registration_1' || lpad(n::text, 25, '0'), '{}', 'h' || n, 'h' || n, 'Works', '192.0.2.9', now(), true
    from generate_series(1, 20) n`
  const before = await listWaiting()
  expect((await requestFrom('192.0.2.9')).status).toBe(429)
  expect(await listWaiting()).toEqual(before)
})
