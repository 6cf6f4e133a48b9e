import { describe, expect, test } from 'bun:test'
import type { CreatedUser } from '../../../proto/http/organization/users.ts'
import { connect } from '../../kit/db/client.ts'
import { captureLog } from '../../testing/captured-log.ts'
import { MAIL_ADDRESSES, marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import type { ReceivedMail } from '../../testing/mail/server.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { created, entriesOf, newPerson, type Problem, tokenOf } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { cleanUpMails } from './cleanup.ts'

const log = captureLog()
const { market, server, confirm, release } = await marketplaceWithMail(
  [],
  { LOG_LEVEL: 'info' },
  { logDestination: log.destination },
)
const org = await market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' })
const { client } = org.administrator
const { owner } = market.db
const sql = connect(market.db.urlOf('organization'), { max: 1, applicationName: 'test-cleanup' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))

type Created = CreatedUser & Problem
const create = (body: object, headers = {}) => client.post<Created>('/flows/v1/users', body, headers)
const reset = (userId: string, body?: object) =>
  client.post<{ activationUrl?: string } & Problem>(`/flows/v1/users/${userId}/reset-password`, body)
const activate = async (token: string) =>
  (await market.anonymous.post('/flows/v1/activations', { token, password: TEST_PASSWORD })).status
const introspect = async (token: string) => {
  const { status, body } = await market.anonymous.post<object>('/flows/v1/activations/introspect', { token })
  return status === 200 ? body : status
}
const last = async (email: string, count = 1) => (await server.arrived(email, count)).at(-1) as ReceivedMail
const stateOf = (userId: string) => owner<{ state: string; secret: string | null }[]>`
  select state, secret from organization.mails where user_id = ${userId} order by id`

describe('the link of a new user', () => {
  test('goes to the user instead of the response, and is nowhere in clear', async () => {
    const person = newPerson({ givenName: '<img onerror=x>', mail: true })
    const { status, body } = await create(person)
    expect([status, 'activationUrl' in body]).toEqual([201, false])
    const mail = await last(person.email)
    const token = tokenIn(mail, `${PUBLIC_URL}/activate#`)
    expect(mail.mail.subject).toBe('Your account at Sourcing and Manufacturing Marketplace')
    expect(mail.mail.text).toContain('Hello <img onerror=x>,')
    expect(mail.mail.html).toContain('<p>Hello &lt;img onerror=x&gt;,</p>')
    expect(mail.raw).not.toContain('List-Unsubscribe')
    await until(async () => (await stateOf(body.id))[0]?.state === 'SENT')
    expect((await stateOf(body.id))[0]?.secret).toBeNull()
    const [entry] = await entriesOf(market, org.orgId, 'user.create')
    expect(entry?.request).toEqual({ userId: body.id, mail: true })
    const stored = await owner`
      select m::text from organization.mails m union all select o::text from organization.outbox o
      union all select a::text from organization.audit_log a union all select k::text from organization.idempotency_keys k`
    for (const text of [...stored.map((row) => JSON.stringify(row)), ...log.texts]) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(person.email)
    }
    expect(await introspect(token)).toEqual({
      email: person.email.toLowerCase(),
      organizationName: 'Nordhavn Shipping',
    })
    expect(await activate(token)).toBe(204)
    expect(await introspect(token)).toBe(404)
  })

  test('is sent once, if the request is repeated with its Idempotency-Key', async () => {
    const person = newPerson({ mail: true })
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [await create(person, key), await create(person, key)]
    expect(second.body).toEqual(first.body)
    await last(person.email)
    expect((await stateOf(first.body.id)).length).toBe(1)
  })

  test('stays in the response where the request does not ask for a mail', async () => {
    const { activationUrl, id } = (await create(newPerson({ mail: false }))).body
    expect(activationUrl).toStartWith(`${PUBLIC_URL}/activate#`)
    expect(await stateOf(id)).toHaveLength(0)
  })
})

test("the link of a new organization's administrator goes to the administrator", async () => {
  const operator = await market.operator()
  const administrator = newPerson()
  const body = { name: 'Vestland Additive', roles: ['MANUFACTURER'], regionCode: 'NO', administrator, mail: true }
  const answer = await operator.administrator.client.post<object>('/flows/v1/orgs', body)
  expect([answer.status, 'activationUrl' in answer.body]).toEqual([201, false])
  expect(await activate(tokenIn(await last(administrator.email), '/activate#'))).toBe(204)
})

describe('the link of a reset', () => {
  test('goes to the user, and ends the earlier one', async () => {
    const user = await created(client)
    expect((await reset(user.id, { mail: true })).body).toEqual({} as Problem)
    const first = tokenIn(await last(user.email), '/activate#')
    expect([await introspect(tokenOf(user)), await activate(tokenOf(user))]).toEqual([404, 404])
    expect((await reset(user.id, { mail: true })).status).toBe(200)
    const second = tokenIn(await last(user.email, 2), '/activate#')
    expect([await activate(first), await activate(second)]).toEqual([404, 204])
    expect((await last(user.email, 2)).mail.subject).toBe('Choose a new password')
  })

  test('that was not sent yet is never sent after another reset, or a deactivation', async () => {
    await server.set({ refuse: 'RCPT', status: 451 })
    const [first, second] = [await created(client), await created(client)]
    for (const { id } of [first, second]) {
      await reset(id, { mail: true })
      await until(
        async () =>
          (
            await owner`
              select from organization.mails m join organization.jobs j on j.id = m.id
              where m.user_id = ${id} and j.attempts = 1 and j.lease_until is null`
          ).length,
      )
    }
    await reset(first.id)
    await client.post(`/flows/v1/users/${second.id}/deactivate`)
    await server.set('accept')
    await release()
    const person = newPerson({ mail: true })
    await create(person)
    await last(person.email)
    expect([...server.to(first.email), ...server.to(second.email)]).toEqual([])
    await cleanUpMails(sql, 30, new Date().toISOString(), new AbortController().signal)
    for (const { id } of [first, second])
      expect<object[]>([...(await stateOf(id))]).toEqual([{ state: 'FAILED', secret: null }])
  })

  test('ends when the address of the user changes, sent or not', async () => {
    const user = await created(client)
    await reset(user.id, { mail: true })
    const sent = tokenIn(await last(user.email), '/activate#')
    const { email } = newPerson()
    expect((await client.send('PATCH', `/flows/v1/users/${user.id}`, { body: { givenName: 'Ida' } })).status).toBe(200)
    expect((await client.send('PATCH', `/flows/v1/users/${user.id}`, { body: { email } })).status).toBe(200)
    expect(await activate(sent)).toBe(404)
    await reset(user.id, { mail: true })
    expect(await activate(tokenIn(await last(email), '/activate#'))).toBe(204)
  })

  test('the fourth within an hour is 409, and changes nothing', async () => {
    const user = await created(client)
    for (let n = 0; n < 3; n++) expect((await reset(user.id, { mail: true })).status).toBe(200)
    const { activationUrl } = (await reset(user.id)).body
    const refused = await reset(user.id, { mail: true })
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect(await activate(tokenOf({ activationUrl: activationUrl as string }))).toBe(204)
  })
})

test('a confirmation that is sent again during a failing attempt is the only one', async () => {
  const { body } = await client.post<{ id: string; email: string }>(MAIL_ADDRESSES, { email: newAddress() })
  const mailsOf = () => owner<{ id: string; state: string; isLeased: boolean }[]>`
    select m.id, m.state, j.lease_until is not null as "isLeased"
    from organization.mails m left join organization.jobs j on j.id = m.id where m.address_id = ${body.id} order by m.id`
  await last(body.email)
  await server.set('hang')
  await client.post(`${MAIL_ADDRESSES}/${body.id}/send-confirmation`)
  const failing = await until(async () => (await mailsOf()).find(({ isLeased }) => isLeased), { what: 'an attempt' })
  await client.post(`${MAIL_ADDRESSES}/${body.id}/send-confirmation`)
  await server.kill()
  await until(() => log.texts.some((text) => text.includes(failing.id)), { what: 'the end of the attempt' })
  await server.start()
  await until(async () => {
    await release()
    return (await mailsOf()).filter(({ state }) => state === 'SENT').length === 2
  })
  expect((await mailsOf()).map(({ state }) => state)).toEqual(['SENT', 'FAILED', 'SENT'])
  const mails = await server.arrived(body.email, 2)
  expect(mails).toHaveLength(2)
  expect((await confirm(tokenIn(mails[1] as ReceivedMail, '#confirm='))).status).toBe(204)
})

describe('a mail to a stranger', () => {
  test('has no name of which mail programs make a link', async () => {
    const person = newPerson({ givenName: 'prize.example.com/win https://prize.example.com', mail: true })
    expect((await create(person)).status).toBe(201)
    const { mail } = await last(person.email)
    expect(mail.text).toContain('Hello prize. example. com/win https prize. example. com,')
    expect(`${mail.text}${mail.html}`).not.toContain('prize.example')
  })

  test('counts for one mailbox, however its address is written', async () => {
    const name = crypto.randomUUID().slice(0, 8)
    const spellings = [`${name}@bücher.example`, `${name}@BÜCHER.example`, `${name}@xn--bcher-kva.example`]
    const { id, email } = (await create(newPerson({ email: spellings[0], mail: true }))).body
    for (let n = 1; n < 3; n++) {
      const next = spellings[n % 3] as string
      if (next.toLowerCase() !== email.toLowerCase())
        await client.send('PATCH', `/flows/v1/users/${id}`, { body: { email: next } })
      expect((await reset(id, { mail: true })).status).toBe(200)
    }
    await client.send('PATCH', `/flows/v1/users/${id}`, { body: { email: spellings[2] } })
    expect((await reset(id, { mail: true })).status).toBe(409)
  })

  test('counts for one mailbox, whatever its tag is', async () => {
    const name = crypto.randomUUID().slice(0, 8)
    for (const tag of ['', '+a', '+b+c']) {
      expect((await create(newPerson({ email: `${name}${tag}@example.com`, mail: true }))).status).toBe(201)
    }
    const refused = await create(newPerson({ email: `${name}+d@example.com`, mail: true }))
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect((await create(newPerson({ email: `+${name}@example.com`, mail: true }))).status).toBe(201)
  })

  test('counts for the mailbox of the envelope, also for an address of an earlier release', async () => {
    const name = crypto.randomUUID().slice(0, 8)
    const { id } = (await create(newPerson({ email: `${name}@example.com` }))).body
    for (const email of [`${name}@example.com`, `<${name}@example.com`, `"${name}"@example.com`]) {
      await owner`update organization.users set email = ${email} where id = ${id}`
      expect((await reset(id, { mail: true })).status).toBe(200)
    }
    await owner`update organization.users set email = ${`>${name}@example.com`} where id = ${id}`
    expect((await reset(id, { mail: true })).status).toBe(409)
  })

  test.each([
    (name: string) => `"${name}"@example.com`,
    (name: string) => `<${name}@example.com`,
    (name: string) => `>${name}@example.com`,
    (name: string) => `${name}<b@example.com`,
    (name: string) => `\uff1c${name}@example.com`,
    (name: string) => `${name}@example.com>`,
    (name: string) => `${name}@example.com.`,
    (name: string) => `${name}@example.com\u3002`,
    (name: string) => `${name}\\@example.com`,
  ])('is refused for an address that mail programs read as another: %p', async (spelled) => {
    const email = spelled(crypto.randomUUID().slice(0, 8))
    const user = await create(newPerson({ email }))
    const address = await client.post<Problem>('/flows/v1/mail-addresses', { email })
    for (const { status, body } of [user, address]) {
      expect([status, body.errors?.map(({ field }) => field)]).toEqual([400, ['email']])
    }
  })

  test('has one address in both forms of an international domain, to sign in and as a mail address', async () => {
    const name = crypto.randomUUID().slice(0, 8)
    const user = await create(newPerson({ email: `${name}@xn--bcher-kva.example` }))
    await activate(tokenOf(user.body))
    expect(user.body.email).toBe(`${name}@bücher.example`)
    const again = await create(newPerson({ email: `${name}@bücher.example` }))
    expect([again.status, again.body.code]).toEqual([409, 'email_taken'])
    for (const username of [`${name}@bücher.example`, `${name}@XN--bcher-kva.example`]) {
      const signIn = { grant_type: 'password', username, password: TEST_PASSWORD }
      expect((await market.anonymous.post('/v2.3/oauth/token', signIn)).status).toBe(200)
    }
    expect((await client.post('/flows/v1/mail-addresses', { email: `${name}@xn--bcher-kva.example` })).status).toBe(201)
    expect((await client.post('/flows/v1/mail-addresses', { email: `${name}@bücher.example` })).status).toBe(409)
  })
})

test('the log reports refused mails without an address', () => {
  const lines = log.texts.filter((text) => text.includes('a mail was not accepted'))
  expect(lines.length).toBeGreaterThan(0)
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    kind: 'RESET',
    by: 'RECIPIENT',
    status: 451,
    tenant: org.orgId,
  })
  for (const text of log.texts) expect(text).not.toContain('@')
})

test('an organization sends at most MAIL_HOURLY_MAX links an hour, and another one is not affected', async () => {
  const busy = await market.organization(['CONSUMER'])
  await owner`
    insert into organization.mails
      (id, org_id, kind, user_id, activation_hash, state, created_at, expires_at, finished_at)
    select gen_random_uuid()::text, ${busy.orgId}, 'INVITATION', 'user_1', '\\x00', 'SENT', now(), now(), now()
    from generate_series(1, 99)`
  const by = busy.administrator.client
  expect((await by.post<Created>('/flows/v1/users', newPerson({ mail: true }))).status).toBe(201)
  const refused = await by.post<Created>('/flows/v1/users', newPerson({ mail: true }))
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
  expect((await by.post('/flows/v1/users', newPerson())).status).toBe(201)
  expect((await create(newPerson({ mail: true }))).status).toBe(201)
})

test('a marketplace without SMTP_URL refuses `mail` with 409, creates no user and leaves no audit entry', async () => {
  const silent = await marketplaceWithWorkers([])
  const { administrator, orgId } = await silent.organization(['CONSUMER'])
  const person = newPerson({ mail: true })
  const refused = await administrator.client.post<Created>('/flows/v1/users', person)
  expect([refused.status, refused.body.code]).toEqual([409, 'mail_unavailable'])
  const listed = await administrator.client.get<{ items: unknown[] }>(`/v1/users?q=${person.email}`)
  expect(listed.body.items).toEqual([])
  expect([...(await entriesOf(silent, orgId, 'user.create'))]).toEqual([])
})
