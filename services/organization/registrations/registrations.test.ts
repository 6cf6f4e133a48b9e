import { describe, expect, test } from 'bun:test'
import type { Registration } from '../../../proto/http/organization/registrations.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import { marketplaceOf, marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { entriesOf, type Page, type Problem } from '../../testing/people.ts'
import { TEST_PASSWORD } from '../../testing/sign-in.ts'
import { until } from '../../testing/until.ts'
import { cleanUpRegistrations } from './commands.ts'

const PATH = '/flows/v1/registrations'
const NO_SIGNAL = new AbortController().signal
const world = await marketplaceWithMail([], { REGISTRATION: 'approval', TRUSTED_PROXIES: '1' })
const { market, server } = world
const open = await marketplaceWithWorkers([], {
  ...RACING,
  REGISTRATION: 'open',
  SMTP_URL: server.url,
  MAIL_FROM: 'no-reply@example.com',
  PUBLIC_URL,
})
const closed = await marketplaceOf([], { REGISTRATION: 'closed' })
const operator = await market.operator()
const { client } = operator.administrator
const { owner } = market.db

const requestBody = (email = newAddress(), more: { roles?: OrgRole[]; name?: string; website?: string } = {}) => ({
  organization: { name: `Works ${email.slice(0, 8)}`, regionCode: 'DK', roles: ['MANUFACTURER'], ...more },
  user: { email, givenName: 'Ida', familyName: 'Holm' },
})
const register = (body: unknown = requestBody(), by = market) => by.anonymous.post<Problem>(PATH, body)
const linkTo = async (email: string, count = 1) => {
  const mail = (await server.arrived(email, count)).at(-1)
  if (!mail) throw new Error('no mail')
  return tokenIn(mail, `${PUBLIC_URL}/console/register#`)
}
const confirm = (token: string, by = market) =>
  by.anonymous.post<{ state: string; activationUrl?: string } & Problem>(`${PATH}/confirm`, { token })
const list = async (query = '') => (await client.get<Page<Registration>>(`${PATH}${query}`)).body.items
const act = (id: string, verb: string, body?: object) =>
  client.post<Registration & Problem & { activationUrl?: string }>(`${PATH}/${id}/${verb}`, body)
/** A registration that waits for the operator. */
async function pending(more: Parameters<typeof requestBody>[1] = {}, email = newAddress()) {
  expect((await register(requestBody(email, more))).status).toBe(204)
  expect((await confirm(await linkTo(email))).text).toBe('{"state":"PENDING"}')
  const found = (await list('?state=PENDING')).find(({ user }) => user.email === email)
  if (!found) throw new Error('the registration is not listed')
  return found
}
const activate = (by: typeof market, token: string) =>
  by.anonymous.post('/flows/v1/activations', { token, password: TEST_PASSWORD })

describe('REGISTRATION=closed', () => {
  test('answers 404 at every path, to anonymous callers and the operator', async () => {
    const answers = [
      await register(requestBody(), closed),
      await confirm('x', closed),
      await closed.anonymous.post(`${PATH}/introspect`, { token: 'x' }),
    ]
    const { client: by } = (await closed.operator()).administrator
    for (const answer of [
      await by.get(PATH),
      await by.get(`${PATH}/registration_1`),
      await by.post(`${PATH}/registration_1/approve`, {}),
      await by.post(`${PATH}/registration_1/reject`, { reason: 'x' }),
    ])
      answers.push(answer as (typeof answers)[number])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect(await closed.db.owner`select from organization.registrations`).toHaveLength(0)
  })
})

describe('POST /flows/v1/registrations', () => {
  test('mails a link that confirms once; before it the operator sees nothing', async () => {
    const email = newAddress()
    const answer = await register(requestBody(email, { website: 'https://works.example.com' }))
    expect([answer.status, answer.text]).toEqual([204, ''])
    const token = await linkTo(email)
    expect((await list()).some(({ user }) => user.email === email)).toBe(false)
    const shown = await market.anonymous.post(`${PATH}/introspect`, { token })
    expect([shown.status, shown.body]).toEqual([200, requestBody(email, { website: 'https://works.example.com' })])
    expect((await confirm(token)).text).toBe('{"state":"PENDING"}')
    expect([(await confirm(token)).status, (await confirm('unknown')).status]).toEqual([404, 404])
    expect((await market.anonymous.post(`${PATH}/introspect`, { token })).status).toBe(404)
    expect(await list('?state=PENDING')).toContainEqual(
      expect.objectContaining({ state: 'PENDING', ...requestBody(email, { website: 'https://works.example.com' }) }),
    )
  })

  test('answers the same for an address with an account, which gets a mail without a link', async () => {
    const { email, userId } = await operator.member([])
    const answer = await register(requestBody(email))
    expect([answer.status, answer.text]).toEqual([204, ''])
    const [mail] = await server.arrived(email, 1)
    expect(mail?.mail.subject).toBe('You already have an account at Sourcing and Manufacturing Marketplace')
    expect(mail?.mail.text).not.toContain('#')
    const entries = await owner<{ actor_id: string }[]>`
      select actor_id from organization.audit_log where procedure = 'registration.create'`
    expect([...entries]).toEqual([{ actor_id: userId }])
  })

  test.each([
    ['organization.roles', requestBody(undefined, { roles: [] })],
    ['organization.roles.0', requestBody(undefined, { roles: ['OPERATOR' as OrgRole] })],
    ['organization.website', requestBody(undefined, { website: 'https://a:b@works.example.com' })],
    ['user.email', requestBody('nobody')],
    ['organization.name', requestBody(undefined, { name: '' })],
    ['organization.name', requestBody(undefined, { name: '\u200b\u3164' })],
  ])('is 400 for %s', async (field, body) => {
    const { status, body: problem } = await register(body)
    expect([status, problem.errors?.map((error) => error.field)]).toEqual([400, [field]])
  })

  test('an address gets three mails an hour, and a network address makes 20 registrations', async () => {
    const email = newAddress()
    for (let n = 0; n < 4; n++) await register(requestBody(email))
    await until(async () => (await owner`select from organization.registrations where not handled`).length === 0)
    await server.arrived(email, 3)
    expect(
      await owner`select from organization.registrations where email = ${email} and confirmation_hash is null`,
    ).toHaveLength(1)
    await owner`update organization.registrations set created_at = created_at - interval '2 hours'`
    const from = (n: number) => register(requestBody(`flood-${n}@flood.example.org`))
    for (let n = 0; n < 20; n++) expect((await from(n)).status).toBe(204)
    const refused = await from(20)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
    await owner`delete from organization.registrations where email like 'flood-%'`
  })

  test('the addresses of one network of IPv6 make 20 registrations together; another one is free', async () => {
    const from = (address: string) =>
      market.anonymous.post(PATH, requestBody(`v6-${crypto.randomUUID()}@flood.example.org`), {
        'x-forwarded-for': address,
      })
    for (let n = 1; n <= 20; n++) expect((await from(`2001:db8:0:1::${n}`)).status).toBe(204)
    expect([(await from('2001:db8:0:1::21')).status, (await from('2001:db8:0:2::1')).status]).toEqual([429, 204])
    const stored = await owner<{ ip_address: string }[]>`
      select ip_address from organization.registrations where email like 'v6-%' order by id limit 1`
    expect(stored.map((row) => row.ip_address)).toEqual(['2001:db8:0:1::1'])
    await owner`delete from organization.registrations where email like 'v6-%'`
  })

  test('without mail is 409 mail_unavailable', async () => {
    const mute = await marketplaceWithWorkers([], { REGISTRATION: 'open' })
    const { status, body } = await register(requestBody(), mute)
    expect([status, body.code]).toEqual([409, 'mail_unavailable'])
    await mute.stop()
  })

  test('what is not confirmed within a day is deleted, decided ones after 90 days; those that wait stay', async () => {
    const sql = connect(market.db.urlOf('organization'), { max: 1, applicationName: 'test' })
    const waiting = await pending()
    const decided = await pending()
    expect((await act(decided.id, 'reject', { reason: 'No.' })).status).toBe(200)
    const email = newAddress()
    await register(requestBody(email))
    const token = await linkTo(email)
    const after = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const left = async () =>
      (
        await owner<
          { id: string }[]
        >`select id from organization.registrations where id in (${waiting.id}, ${decided.id}) or email = ${email}`
      ).length
    await cleanUpRegistrations({ sql, sendsMail: true }, after(23), NO_SIGNAL)
    expect(await left()).toBe(3)
    await owner`update organization.registrations set handled_at = handled_at - interval '24 hours' where email = ${email}`
    expect((await confirm(token)).status).toBe(404)
    await cleanUpRegistrations({ sql, sendsMail: true }, after(0), NO_SIGNAL)
    expect(await left()).toBe(2)
    await cleanUpRegistrations({ sql, sendsMail: true }, after(24 * 91), NO_SIGNAL)
    expect(await list()).toContainEqual(expect.objectContaining({ id: waiting.id }))
    expect(await left()).toBe(1)
    await sql.end()
  })
})

describe('the operator', () => {
  test('decides about the newest confirmed registration of an address', async () => {
    const email = newAddress()
    const first = await pending({ name: 'First' }, email)
    await register(requestBody(email, { name: 'Second' }))
    expect((await confirm(await linkTo(email, 2))).status).toBe(200)
    const mine = (await list('?state=PENDING')).filter(({ user }) => user.email === email)
    expect(mine.map(({ organization }) => organization.name)).toEqual(['Second'])
    expect((await act(first.id, 'approve')).status).toBe(404)
  })

  test('approves: organization, administrator and a mailed link; other roles and name as it says', async () => {
    const registration = await pending({ roles: ['CONSUMER', 'MANUFACTURER'], name: 'Works' })
    const { status, body } = await act(registration.id, 'approve', { roles: ['MANUFACTURER'], name: 'Works Ltd' })
    expect([status, body.state, body.activationUrl]).toEqual([200, 'APPROVED', undefined])
    const org = await client.get<{ name: string; roles: string[] }>(`/v1/orgs/${body.orgId}`)
    expect(org.body).toMatchObject({ name: 'Works Ltd', roles: ['MANUFACTURER'], regionCode: 'DK' })
    const [, mail] = await server.arrived(registration.user.email, 2)
    if (!mail) throw new Error('no mail')
    expect(mail.mail.text).toContain('the operator of the Sourcing and Manufacturing Marketplace admitted Works Ltd.')
    expect((await activate(market, tokenIn(mail, `${PUBLIC_URL}/activate#`))).status).toBe(204)
    const again = await act(registration.id, 'approve')
    expect([again.status, again.body.code]).toEqual([409, 'illegal_transition'])
    const entries = await entriesOf(market, operator.orgId, 'registration.approve')
    expect(entries[0]).toMatchObject({ success: true, request: { orgId: body.orgId, roles: ['MANUFACTURER'] } })
  })

  test('rejects with a reason, which the applicant gets by mail', async () => {
    const { id, user } = await pending()
    expect((await act(id, 'reject', {})).status).toBe(400)
    const { status, body } = await act(id, 'reject', { reason: 'Your company is registered already.' })
    expect([status, body.state, body.reason]).toEqual([200, 'REJECTED', 'Your company is registered already.'])
    const [, mail] = await server.arrived(user.email, 2)
    expect(mail?.mail.text).toContain('Your company is registered already.')
    expect((await act(id, 'approve')).status).toBe(409)
  })

  test('of concurrent decisions one succeeds', async () => {
    const { id, user } = await pending()
    const answers = await Promise.all([act(id, 'approve'), act(id, 'reject', { reason: 'x' }), act(id, 'approve')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect((await owner`select from organization.users where email = ${user.email}`).length).toBeLessThan(2)
  })

  test('an address that was registered meanwhile is 409 email_taken, and nothing is half done', async () => {
    const { id, user } = await pending()
    const org = await market.organization(['CONSUMER'])
    await org.administrator.client.post('/flows/v1/users', { ...user })
    const { status, body } = await act(id, 'approve')
    expect([status, body.code]).toEqual([409, 'email_taken'])
    expect((await client.get<Registration>(`${PATH}/${id}`)).body.state).toBe('PENDING')
  })

  test('sees organizations with a similar name or of the same domain, but not those of a public provider', async () => {
    const org = await market.organization(['CONSUMER'], { name: 'Nordsee Drehteile GmbH' })
    await org.administrator.client.post('/flows/v1/users', {
      email: 'x@nordsee.example.net',
      givenName: 'X',
      familyName: 'Y',
    })
    const similar = async (more: object, email = `x@${crypto.randomUUID()}.example.net`) =>
      (await pending(more, email)).similar.map(({ orgId, because }) => [orgId === org.orgId, because])
    expect(await similar({ name: 'Nordsee-Drehteile' })).toEqual([[true, 'NAME']])
    // Cyrillic and Greek letters, and a digit.
    expect(await similar({ name: 'Νоrdѕее Dгеһtеіӏе' })).toEqual([[true, 'NAME']])
    expect(await similar({ name: 'N0rdsee Drehtei1e' })).toEqual([[true, 'NAME']])
    expect(await similar({ name: 'Anders' }, `${crypto.randomUUID()}@nordsee.example.net`)).toEqual([[true, 'DOMAIN']])
    expect(await similar({ name: 'Unlike' })).toEqual([])
    // Test users have addresses of example.com in more than five organizations.
    for (let n = 0; n < 6; n++) await market.organization(['CONSUMER'])
    expect(await similar({ name: 'Unlike' }, `${crypto.randomUUID()}@example.com`)).toEqual([])
  })

  test('alone lists, reads and decides: for others it is 403, also for an administrator', async () => {
    const { id } = await pending()
    const { administrator } = await market.organization(['CONSUMER'])
    const without = await operator.member(['org:admin'])
    for (const by of [administrator.client, without.client]) {
      const answers = [
        await by.get(PATH),
        await by.get(`${PATH}/${id}`),
        await by.post(`${PATH}/${id}/approve`, {}),
        await by.post(`${PATH}/${id}/reject`, { reason: 'x' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    }
    expect([
      (await client.get(`${PATH}/registration_unknown`)).status,
      (await act('registration_unknown', 'approve')).status,
    ]).toEqual([404, 404])
  })
})

test('a company that an open marketplace admits is no news of the operator', async () => {
  const { orgId } = await open.operator()
  const email = newAddress()
  await register(requestBody(email), open)
  expect((await confirm(await linkTo(email), open)).body.state).toBe('APPROVED')
  const mails = await open.db.owner`select id from organization.mails where org_id = ${orgId} and kind = 'NOTICE'`
  expect(mails).toHaveLength(0)
})

describe('REGISTRATION=open', () => {
  test.each<[string, OrgRole[]]>([
    ['PENDING', ['SELLER']],
    ['PENDING', ['DISTRIBUTOR', 'CONSUMER']],
    ['PENDING', ['CONSUMER', 'MANUFACTURER']],
    ['APPROVED', ['CONSUMER', 'IP_OWNER']],
    ['APPROVED', ['MANUFACTURER']],
    ['APPROVED', ['MANUFACTURER', 'MANUFACTURER']],
    ['APPROVED', ['MANUFACTURER', 'IP_OWNER']],
  ])('a confirmed registration is %s for %j', async (state, roles) => {
    const email = newAddress()
    expect((await register(requestBody(email, { roles }), open)).status).toBe(204)
    const { body } = await confirm(await linkTo(email), open)
    expect(body.state).toBe(state)
    expect(body.activationUrl === undefined).toBe(state === 'PENDING')
    if (!body.activationUrl) return
    expect((await activate(open, body.activationUrl.split('#')[1] ?? '')).status).toBe(204)
    const signedIn = await open.anonymous.post<{ access_token: string }>('/v2.3/oauth/token', {
      grant_type: 'password',
      username: email,
      password: TEST_PASSWORD,
    })
    expect(signedIn.status).toBe(200)
    const [org] = await open.db.owner<{ org_id: string; roles: string[] }[]>`
      select u.org_id, o.roles from organization.users u join organization.organizations o on o.id = u.org_id
      where u.email = ${email}`
    expect(org?.roles).toEqual([...new Set(roles)])
    const entries = await entriesOf(open, org?.org_id ?? '', 'registration.confirm')
    expect(entries).toMatchObject([{ success: true, request: { orgId: org?.org_id } }])
  })

  test('of two confirmed registrations of one address the second link is void', async () => {
    const email = newAddress()
    await register(requestBody(email), open)
    await register(requestBody(email), open)
    const [first, second] = await server.arrived(email, 2)
    if (!first || !second) throw new Error('no mails')
    const tokens = [first, second].map((mail) => tokenIn(mail, `${PUBLIC_URL}/console/register#`))
    const statuses = await Promise.all(tokens.map(async (token) => (await confirm(token, open)).status))
    expect(statuses.toSorted()).toEqual([200, 404])
  })
})
