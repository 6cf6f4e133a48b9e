import { describe, expect, test } from 'bun:test'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { created, type Problem, patch } from '../../testing/people.ts'
import { TEST_PASSWORD } from '../../testing/sign-in.ts'
import { until } from '../../testing/until.ts'

const { market, server } = await marketplaceWithMail([], { ...RACING, TRUSTED_PROXIES: '1' })
const { owner } = market.db
const org = await market.organization(['CONSUMER'])
const { client } = org.administrator
const NEXT = 'another correct horse battery'

const ask = (email: unknown, by = market) => by.anonymous.post<Problem>('/flows/v1/password-resets', { email })
const isWorkedOff = () =>
  until(async () => (await owner`select from organization.password_resets`).length === 0, { what: 'all requests' })
const linkTo = async (email: string, count = 1) => {
  const mail = (await server.arrived(email, count)).at(-1)
  if (!mail) throw new Error('no mail')
  return tokenIn(mail, `${PUBLIC_URL}/activate#`)
}
const choose = async (token: string, password = NEXT) =>
  (await market.anonymous.post('/flows/v1/activations', { token, password })).status
const signIn = async (username: string, password: string) =>
  (await market.anonymous.post('/v2.3/oauth/token', { grant_type: 'password', username, password })).status

describe('a forgotten password', () => {
  test('gets a link by mail, in any case of the address; until it is used, password and session stay', async () => {
    const person = await org.member([])
    expect((await ask(person.email.toUpperCase())).status).toBe(204)
    const token = await linkTo(person.email)
    expect([await signIn(person.email, TEST_PASSWORD), (await person.client.get('/flows/v1/me')).status]).toEqual([
      200, 200,
    ])
    expect(await choose(token)).toBe(204)
    expect([await signIn(person.email, TEST_PASSWORD), await signIn(person.email, NEXT)]).toEqual([401, 200])
    await until(async () => (await person.client.get('/flows/v1/me')).status === 401, {
      what: 'the end of the session',
    })
    expect(await choose(token)).toBe(404)
    const entries = await owner<{ success: boolean }[]>`
      select success from organization.audit_log
      where actor_id = ${person.userId} and procedure = 'passwordReset.create'`
    expect(entries.map(({ success }) => success)).toEqual([true])
  })

  test('of an address that changes at the same time gets no link that works', async () => {
    const person = await org.member([])
    const isWaiting = async (query: string) =>
      (
        await owner`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like ${query}`
      ).length > 0
    const changed = await owner.begin(async (tx) => {
      // The change has voided the links of the former address, and waits for this lock.
      await tx`lock table organization.outbox in share mode`
      const change = patch(client, `/flows/v1/users/${person.userId}`, { email: newAddress() })
      await until(() => isWaiting('%insert into outbox%'))
      await ask(person.email)
      await until(async () => server.to(person.email).length > 0 || (await isWaiting('%from organization.users%')))
      return { change }
    })
    expect((await changed.change).status).toBe(200)
    await isWorkedOff()
    const [mail] = server.to(person.email)
    expect(mail ? await choose(tokenIn(mail, `${PUBLIC_URL}/activate#`)) : 404).toBe(404)
    expect(await owner`select from organization.activations where user_id = ${person.userId}`).toHaveLength(0)
  })

  test('of an unknown, a deactivated and a service account gets none, with the same answer', async () => {
    const inactive = await org.member([])
    await org.administrator.client.post(`/flows/v1/users/${inactive.userId}/deactivate`)
    const account = await org.administrator.client.post<{ email?: string; id: string }>('/flows/v1/service-accounts', {
      name: 'ERP',
    })
    const [{ email }] = await owner<
      [{ email: string }]
    >`select email from organization.users where id = ${account.body.id}`
    const unknown = newAddress()
    for (const address of [unknown, inactive.email]) {
      const answer = await ask(address)
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    await ask(email)
    await isWorkedOff()
    expect(
      await owner`select from organization.mails where kind = 'FORGOTTEN' and user_id in (${inactive.userId}, ${account.body.id})`,
    ).toHaveLength(0)
    for (const address of [unknown, inactive.email, email]) expect(server.to(address)).toEqual([])
  })

  test('a second link replaces the first; a third within an hour is not sent, and those of administrators still are', async () => {
    const person = await org.member([])
    await ask(person.email)
    const first = await linkTo(person.email)
    await ask(person.email)
    const second = await linkTo(person.email, 2)
    await ask(person.email)
    await isWorkedOff()
    expect(server.to(person.email)).toHaveLength(2)
    expect(await choose(first)).toBe(404)
    for (let n = 0; n < 3; n++) {
      const reset = await org.administrator.client.post(`/flows/v1/users/${person.userId}/reset-password`, {
        mail: true,
      })
      expect(reset.status).toBe(200)
    }
    // The reset voids the link that the person asked for.
    expect(await choose(second)).toBe(404)
  })

  test('is not kept from its owner by the links of others, or by users with a tag in the same mailbox', async () => {
    const person = await org.member([])
    const [name, domain] = person.email.split('@')
    const others = await Promise.all([1, 2].map(() => market.organization(['CONSUMER'])))
    for (const { administrator } of others) {
      const { body } = await administrator.client.post<{ id: string }>('/flows/v1/mail-addresses', {
        email: person.email,
      })
      await administrator.client.post(`/flows/v1/mail-addresses/${body.id}/send-confirmation`)
    }
    const tagged = await Promise.all([1, 2, 3].map((n) => created(client, { email: `${name}+${n}@${domain}` })))
    for (const { email } of tagged) await ask(email)
    await isWorkedOff()
    const links = () => owner<{ user_id: string }[]>`
      select user_id from organization.mails where kind = 'FORGOTTEN' and user_id = any(${[person.userId, ...tagged.map(({ id }) => id)]})`
    expect(await links()).toHaveLength(2)
    await ask(person.email)
    await isWorkedOff()
    expect((await links()).filter(({ user_id: id }) => id === person.userId)).toHaveLength(1)
  })

  test('a link is void an hour later, and once another one, or a change, has set a password', async () => {
    const person = await org.member([])
    await ask(person.email)
    const token = await linkTo(person.email)
    const change = { currentPassword: TEST_PASSWORD, newPassword: NEXT }
    expect((await person.client.post('/flows/v1/password/change', change)).status).toBe(204)
    expect(await choose(token)).toBe(404)
    const late = await org.member([])
    await ask(late.email)
    const expired = await linkTo(late.email)
    const [link] = await owner<{ minutes: number }[]>`
      select extract(epoch from expires_at - created_at)::int / 60 as minutes from organization.activations
      where user_id = ${late.userId} and self_service`
    expect(link?.minutes).toBe(60)
    await owner`update organization.activations set expires_at = now() where user_id = ${late.userId}`
    expect(await choose(expired)).toBe(404)
  })

  test('of several links that are used at the same time one sets the password, and the others are 404', async () => {
    const { userId } = await org.member([])
    for (let round = 0; round < 3; round++) {
      const links = Array.from({ length: 6 }, () => newSecretToken())
      for (const { hash } of links) {
        await owner`
          insert into organization.activations (token_hash, user_id, created_at, expires_at, password_version)
          select ${Buffer.from(hash)}, id, now(), now() + interval '1 hour', password_version
          from organization.users where id = ${userId}`
      }
      const answers = await Promise.all(links.map(({ token }) => choose(token)))
      // Unknown links are throttled.
      expect(answers.filter((status) => status === 204)).toHaveLength(1)
      for (const status of answers) expect([204, 404, 429]).toContain(status)
    }
  })

  test.each([
    ['a thousand wait', 1500, null],
    ['fifty of its network wait', 300, '127.0.0.1'],
  ])('a request is 429 while %s', async (_, count, address) => {
    await owner`
      insert into organization.password_resets (id, email_key, network, created_at)
      select 'zzz' || n, n || '@example.org', ${address}, now() from generate_series(1, ${count}::int) n`
    await owner.begin(async (tx) => {
      // Keeps the worker from taking them.
      await tx`select from organization.password_resets for update`
      const refused = await ask(newAddress())
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    })
    await isWorkedOff()
  })

  test('the addresses of one network of IPv6 are counted together, and the audit log names the address', async () => {
    const person = await org.member([])
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await owner`
      insert into organization.password_resets (id, email_key, network, created_at)
      select 'zzz' || n, n || '@example.org', '2001:db8:0:1::/64', now() from generate_series(1, 300) n`
    await owner.begin(async (tx) => {
      await tx`select from organization.password_resets for update`
      const askFrom = async (address: string) =>
        (await market.anonymous.post('/flows/v1/password-resets', { email: person.email }, from(address))).status
      expect([await askFrom('2001:db8:0:1::5'), await askFrom('2001:db8:0:2::5')]).toEqual([429, 204])
    })
    await isWorkedOff()
    const [entry] = await owner<{ ip_address: string }[]>`
      select ip_address from organization.audit_log
      where actor_id = ${person.userId} and procedure = 'passwordReset.create'`
    expect(entry?.ip_address).toBe('2001:db8:0:2::5')
  })

  test('a request that cannot be handled ends, and does not hold up those behind it', async () => {
    const [broken, next] = [await org.member([]), await org.member([])]
    await owner.unsafe(`
      create function organization.test_refuse() returns trigger language plpgsql as $$
      begin
        if new.user_id = '${broken.userId}' then raise exception 'a defect'; end if;
        return new;
      end $$;
      create trigger test_refuse before insert on organization.mails
        for each row execute function organization.test_refuse()`)
    await ask(broken.email)
    await ask(next.email)
    await linkTo(next.email)
    await isWorkedOff()
    await owner`drop function organization.test_refuse cascade`
    expect(server.to(broken.email)).toEqual([])
  })

  test('a request that waits takes no second place', async () => {
    const email = newAddress()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(email.toUpperCase())))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    await isWorkedOff()
  })

  test('a request for what is no address is 400', async () => {
    for (const email of ['nobody', '', null, 1, 'a<b@example.org', 'a@example.org(b)']) {
      expect((await ask(email)).status).toBe(400)
    }
  })
})

test('a marketplace that sends no mail refuses the request', async () => {
  const silent = await marketplaceWithWorkers([])
  const { status, body } = await silent.anonymous.post<Problem>('/flows/v1/password-resets', { email: newAddress() })
  expect([status, body.code]).toEqual([409, 'mail_unavailable'])
})
