import { describe, expect, test } from 'bun:test'
import type { User } from '../../../proto/http/organization/users.ts'
import { ApiClient } from '../../testing/client.ts'
import { RACING, TEST_PASSWORD, type TestUser, testMarketplace } from '../../testing/marketplace.ts'
import { act, BY_BUS, created, entriesOf, eventsOf, type Problem, patch, tokenOf } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await testMarketplace(RACING)
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const manager = await org.member(['user:manage'])

const refresh = ({ refreshToken }: ApiClient) =>
  market.anonymous.post('/v2.3/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken })
const signIn = (email: string, password = TEST_PASSWORD) =>
  market.anonymous.post<{ error?: { code: string } }>('/v2.3/oauth/token', {
    grant_type: 'password',
    username: email,
    password,
  })
const isSignedOut = async (caller: ApiClient) =>
  (await caller.get('/v1/parts')).status === 401 && (await caller.get('/v1/users')).status === 401
const activate = (token: string, password = TEST_PASSWORD) =>
  market.anonymous.post('/flows/v1/activations', { token, password })
const sessionsOf = async ({ userId }: TestUser) =>
  (await market.db.owner`select id from identity.sessions where user_id = ${userId} and ended_at is null`).length

describe('deactivating', () => {
  test('ends the sessions in every service within a second and refuses sign-in and refresh', async () => {
    const member = await org.member('IP owner')
    const answer = await act(client, member.userId, 'deactivate')
    expect([answer.status, answer.body.active]).toEqual([200, false])
    await until(() => isSignedOut(member.client), BY_BUS)
    expect((await refresh(member.client)).status).toBe(401)
    expect((await signIn(member.email)).body.error?.code).toBe('invalid_credentials')
    expect(await eventsOf(market, member.userId)).toEqual([
      ...['organization.user.changed', 'organization.user.changed'],
      ...['organization.user.changed', 'organization.user.deactivated'],
    ])
    expect((await entriesOf(market, org.orgId, 'user.deactivate')).at(-1)).toMatchObject({
      success: true,
      request: { id: member.userId },
    })
  })

  test('ends the old tokens permanently; a later activation keeps the password', async () => {
    const member = await org.member([])
    await act(client, member.userId, 'deactivate')
    expect((await act(client, member.userId, 'activate')).body.active).toBe(true)
    await until(() => isSignedOut(member.client), BY_BUS)
    expect((await refresh(member.client)).status).toBe(401)
    await member.client.signIn(member.email, TEST_PASSWORD)
    await until(async () => (await sessionsOf(member)) === 1, {
      what: 'end of the older session',
      withinMs: 20_000,
    })
    expect((await member.client.get('/v1/parts')).status).toBe(200)
  })

  test('an inactive user, and activating an active one, are 409 illegal_transition', async () => {
    const user = await created(client)
    expect((await act(client, user.id, 'activate')).body.code).toBe('illegal_transition')
    expect((await act(client, user.id, 'deactivate')).status).toBe(200)
    const again = await act(client, user.id, 'deactivate')
    expect([again.status, again.body.code]).toEqual([409, 'illegal_transition'])
  })

  test('the last administrator is 409 last_administrator and stays signed in', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { administrator } = fresh
    for (const verb of ['deactivate', 'anonymise']) {
      const answer = await act(administrator.client, administrator.userId, verb)
      expect([answer.status, answer.body.code]).toEqual([409, 'last_administrator'])
    }
    expect((await entriesOf(market, fresh.orgId, 'user.deactivate')).at(-1)?.error).toBe('last_administrator')
    expect((await administrator.client.get('/v1/users')).status).toBe(200)
  })

  test('of two administrators who deactivate each other concurrently exactly one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const fresh = await market.organization(['IP_OWNER'])
      const other = await fresh.member('Administrator')
      const answers = await Promise.all([
        act(fresh.administrator.client, other.userId, 'deactivate'),
        act(other.client, fresh.administrator.userId, round % 2 === 0 ? 'deactivate' : 'anonymise'),
      ])
      const left = await market.db.owner`
        select id from organization.users where org_id = ${fresh.orgId} and active`
      expect(left).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const [refused] = answers.filter(({ status }) => status !== 200)
      expect(['last_administrator', 'unauthorized']).toContain(refused?.body.code as string)
    }
  })

  test('an inactive administrator does not count as a remaining administrator', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const other = await fresh.member('Administrator')
    expect((await act(fresh.administrator.client, other.userId, 'deactivate')).status).toBe(200)
    const answer = await act(fresh.administrator.client, fresh.administrator.userId, 'deactivate')
    expect(answer.body.code).toBe('last_administrator')
  })
})

describe('resetting a password', () => {
  const reset = (userId: string, by = client) =>
    by.post<{ activationUrl: string } & Problem>(`/flows/v1/users/${userId}/reset-password`)

  test('voids the password, the sessions and earlier links, and returns a new link', async () => {
    const member = await org.member([])
    const [first, second] = [await reset(member.userId), await reset(member.userId)]
    expect(Object.keys(second.body)).toEqual(['activationUrl'])
    expect(second.headers.get('cache-control')).toBe('no-store')
    await until(() => isSignedOut(member.client), BY_BUS)
    expect((await refresh(member.client)).status).toBe(401)
    expect((await signIn(member.email)).status).toBe(401)
    expect((await activate(tokenOf(first.body))).status).toBe(404)
    expect((await activate(tokenOf(second.body), 'a password of their own')).status).toBe(204)
    expect((await signIn(member.email, 'a password of their own')).status).toBe(200)
  })

  test('keeps sessions that begin after the reset', async () => {
    const member = await org.member([])
    await activate(tokenOf((await reset(member.userId)).body))
    await member.client.signIn(member.email, TEST_PASSWORD)
    await until(async () => (await sessionsOf(member)) === 1, {
      what: 'end of the older session',
      withinMs: 20_000,
    })
    expect((await member.client.get('/v1/users')).status).toBe(200)
  })

  test('of an inactive user is 409', async () => {
    const user = await created(client)
    await act(client, user.id, 'deactivate')
    expect((await reset(user.id)).body.code).toBe('illegal_transition')
  })

  test('ends the session of a concurrent sign-in with the old password', async () => {
    for (let round = 0; round < 4; round++) {
      const member = await org.member([])
      const signIns = [1, 2].map(() => signIn(member.email))
      const [answers] = [await Promise.all([...signIns, reset(member.userId)])]
      const tokens = answers.flatMap(({ body }) => (body as { access_token?: string }).access_token ?? [])
      for (const token of tokens) await until(() => isSignedOut(new ApiClient(market.url, token)), BY_BUS)
    }
  })
})

describe('a link is void once the user holds permissions that the creator of the link does not hold', () => {
  const grantAdministrator = async (userId: string) => {
    const roles = await client.get<{ items: { id: string }[] }>('/v1/roles?q=Administrator')
    return client.post(`/flows/v1/roles/${roles.body.items[0]?.id}/grant`, { userId })
  }

  test('through a granted role; a new link of a user who holds them works', async () => {
    const user = await created(manager.client)
    expect((await grantAdministrator(user.id)).status).toBe(200)
    expect((await activate(tokenOf(user))).status).toBe(404)
    const fresh = await client.post<{ activationUrl: string }>(`/flows/v1/users/${user.id}/reset-password`)
    expect((await activate(tokenOf(fresh.body))).status).toBe(204)
  })

  test('through a role that gets more permissions, also after a password reset', async () => {
    const body = { name: crypto.randomUUID(), permissions: [] }
    const role = (await client.post<{ id: string }>('/flows/v1/roles', body)).body
    const user = await created(client, { roleIds: [role.id] })
    const { activationUrl } = (
      await manager.client.post<{ activationUrl: string }>(`/flows/v1/users/${user.id}/reset-password`)
    ).body
    await patch(client, `/flows/v1/roles/${role.id}`, { permissions: ['org:admin'] })
    expect((await activate(tokenOf({ activationUrl }))).status).toBe(404)
    await patch(client, `/flows/v1/roles/${role.id}`, { permissions: ['user:manage'] })
    expect((await activate(tokenOf({ activationUrl }))).status).toBe(204)
  })

  test('but stays valid if the creator holds them', async () => {
    const user = await created(client)
    await grantAdministrator(user.id)
    expect((await activate(tokenOf(user))).status).toBe(204)
  })
})

describe('anonymising', () => {
  const rowsWith = async (text: string): Promise<string[]> => {
    const tables = await market.db.owner<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('organization', 'identity', 'sourcing') and c.relkind = 'r'`
    const found: string[] = []
    for (const { name } of tables) {
      const rows = await market.db.owner.unsafe(`select 1 from ${name} t where t::text ilike '%' || $1 || '%'`, [text])
      if (rows.length > 0) found.push(name)
    }
    return found
  }

  test('erases e-mail address, names, telephone number, password and sessions in every table', async () => {
    const words = { givenName: `Given${crypto.randomUUID()}`, familyName: `Family${crypto.randomUUID()}` }
    const user = await created(client, { ...words, phone: '+47 55 66 77 88 99' })
    const own = new ApiClient(market.url)
    await own.activate(tokenOf(user), TEST_PASSWORD)
    await own.signIn(user.email, TEST_PASSWORD)
    await patch(client, `/flows/v1/users/${user.id}`, { email: `second.${user.email}` })
    // The address was proved by a mail, tested by a provider and entered in a registration.
    const email = `second.${user.email}`
    await market.db.owner`
      insert into organization.user_notifications (user_id, proved_email_key) values (${user.id}, ${email})
      on conflict (user_id) do update set proved_email_key = excluded.proved_email_key`
    await market.db.owner`
      insert into organization.registrations
        (id, state, content, email, email_key, name, handled, org_id, created_at, confirmed_at, decided_at)
      values (${`registration_${user.id}`}, 'APPROVED', ${JSON.stringify({ user: words })}::text::json, ${email}, ${email},
        'Works', true, ${org.orgId}, now(), now(), now())`
    const provider = await client.post<{ id: string }>('/flows/v1/identity-providers', {
      name: 'Provider',
      issuer: 'https://login.example.com',
      clientId: 'marketplace',
      clientSecret: 'a secret of the provider',
      domains: [`${user.id.slice(-8).toLowerCase()}.example.com`],
    })
    expect(provider.status).toBe(201)
    await market.db.owner`
      update organization.identity_providers set test_email = ${email} where id = ${provider.body.id}`
    const answer = await act(client, user.id, 'anonymise')
    expect([answer.status, answer.body as User]).toEqual([
      200,
      { id: user.id, email: 'erased', givenName: 'erased', familyName: 'erased', active: false, admin: false },
    ])
    await until(() => isSignedOut(own), BY_BUS)
    expect((await refresh(own)).status).toBe(401)
    await until(
      async () => (await market.db.owner`select 1 from identity.credentials where user_id = ${user.id}`).length === 0,
      { what: 'erasure of the password', withinMs: 20_000 },
    )
    for (const text of [user.email, words.givenName, words.familyName, '55 66 77 88 99']) {
      expect([text, await rowsWith(text)]).toEqual([text, []])
    }
    const traces = await market.db.owner`
      select id from identity.sessions where user_id = ${user.id} and (ip_address is not null or user_agent is not null)`
    expect(traces).toHaveLength(0)
  })

  test('erases the registrations of the address, and that of the organization if the user was its first', async () => {
    const [founded, other] = [await market.organization(['IP_OWNER']), await market.organization(['IP_OWNER'])]
    const successor = await founded.member('Administrator')
    const { userId, email } = founded.administrator
    await patch(successor.client, `/flows/v1/users/${userId}`, { email: `new.${email}` })
    const rows = [
      { id: `registration_old_${userId}`, address: email, orgId: founded.orgId },
      { id: `registration_rejected_${userId}`, address: `new.${email}`, orgId: null },
      { id: `registration_other_${userId}`, address: other.administrator.email, orgId: other.orgId },
    ]
    for (const { id, address, orgId } of rows) {
      await market.db.owner`
        insert into organization.registrations
          (id, state, content, email, email_key, name, handled, org_id, reason, created_at, confirmed_at, decided_at)
        values (${id}, ${orgId ? 'APPROVED' : 'REJECTED'}, '{}', ${address}, ${address}, 'Works', true, ${orgId},
          ${orgId ? null : 'No.'}, now(), now(), now())`
    }
    const kept = async () =>
      (await market.db.owner`select id from organization.registrations where id like ${`%${userId}`} order by id`).map(
        ({ id }) => id.split('_')[1],
      )
    await act(founded.administrator.client, successor.userId, 'anonymise')
    expect(await kept()).toEqual(['old', 'other', 'rejected'])
    const second = await founded.member('Administrator')
    await act(second.client, userId, 'anonymise')
    expect(await kept()).toEqual(['other'])
  })

  test('shows the actor in the audit log as erased, with the same id', async () => {
    const member = await org.member('Administrator')
    await created(member.client)
    await act(client, member.userId, 'anonymise')
    const { items } = (
      await client.get<{ items: { actor: object }[] }>(`/v1/audit-log?actorId=${member.userId}&procedure=user.create`)
    ).body
    expect(items.map(({ actor }) => actor)).toEqual([{ id: member.userId, email: 'erased' }])
  })

  test('is final: every later command is illegal_transition or 409', async () => {
    const user = await created(client)
    await act(client, user.id, 'anonymise')
    for (const verb of ['activate', 'deactivate', 'reset-password', 'anonymise']) {
      expect((await act(client, user.id, verb)).body.code).toBe('illegal_transition')
    }
    const changed = await patch(client, `/flows/v1/users/${user.id}`, { familyName: 'Back' })
    expect(changed.body.code).toBe('illegal_transition')
    const roles = await client.get<{ items: { id: string }[] }>('/v1/roles?q=Viewer')
    const granted = await client.post(`/flows/v1/roles/${roles.body.items[0]?.id}/grant`, { userId: user.id })
    expect(granted.status).toBe(409)
    expect((await activate(tokenOf(user))).status).toBe(404)
  })

  test('frees the e-mail address, also of several users', async () => {
    const [one, two] = [await created(client), await created(client)]
    await act(client, one.id, 'anonymise')
    expect((await act(client, two.id, 'anonymise')).status).toBe(200)
    expect((await created(client, { email: one.email })).id).not.toBe(one.id)
  })

  test('withdraws the roles, so that they can be deleted', async () => {
    const user = await org.member(['part:create'])
    const roles = await client.get<{ items: { id: string }[] }>(`/v1/roles?userId=${user.userId}`)
    const path = `/flows/v1/roles/${roles.body.items[0]?.id}`
    expect((await client.send('DELETE', path)).status).toBe(409)
    await act(client, user.userId, 'anonymise')
    expect((await client.send('DELETE', path)).status).toBe(204)
  })
})

describe.each(['activate', 'deactivate', 'reset-password', 'anonymise'])('%s', (verb) => {
  test('of a user who holds a permission that the caller does not hold is 403', async () => {
    const member = await org.member('IP owner')
    const answer = await act(manager.client, member.userId, verb)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    expect((await member.client.get('/v1/users')).status).toBe(200)
  })

  test('without user:manage is 403', async () => {
    const member = await org.member(['org:admin', 'role:manage'])
    expect((await act(member.client, manager.userId, verb)).status).toBe(403)
  })

  test('of a user of another organization is 404 and changes nothing', async () => {
    const before = await market.db.owner`select xmin from organization.users where id = ${manager.userId}`
    const answer = await act(stranger.administrator.client, manager.userId, verb)
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    expect(await market.db.owner`select xmin from organization.users where id = ${manager.userId}`).toEqual(before)
  })

  test('with user:manage and all permissions of the user is 200', async () => {
    const user = await created(client)
    if (verb === 'activate') await act(client, user.id, 'deactivate')
    expect((await act(manager.client, user.id, verb)).status).toBe(200)
  })
})
