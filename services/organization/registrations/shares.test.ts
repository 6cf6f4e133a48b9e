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
const { client: operator } = (await market.operator()).administrator
const { owner } = market.db
const sql = connect(market.db.urlOf('organization'), { max: 1, applicationName: 'test' })
afterAll(() => sql.end())
beforeEach(async () => {
  await owner`delete from organization.registrations`
})

/** Registers companies from one network. */
async function register(network: string, count: number) {
  const emails = Array.from({ length: count }, newAddress)
  for (const email of emails) {
    const body = {
      organization: { name: 'Works', regionCode: 'DK', roles: ['MANUFACTURER'] },
      user: { email, givenName: 'Ida', familyName: 'Holm' },
    }
    expect((await market.anonymous.post(PATH, body, { 'x-forwarded-for': network })).status).toBe(204)
  }
  return emails
}
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

test('the mail of a rejection uses no share of the applicants', async () => {
  const [email = ''] = await register('192.0.2.1', 1)
  expect((await confirm(email)).status).toBe(200)
  const { items } = (await operator.get<Page<Registration>>(`${PATH}?state=PENDING`)).body
  expect((await operator.post(`${PATH}/${items[0]?.id}/reject`, { reason: 'No.' })).status).toBe(200)
  await server.arrived(email, 2)
  await register('192.0.2.1', 2)
  await waitFor([])
})
