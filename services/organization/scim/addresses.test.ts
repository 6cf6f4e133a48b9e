import { describe, expect, test } from 'bun:test'
import { CLIENT } from '../../testing/identity-provider.ts'
import { BY_BUS, entriesOf } from '../../testing/people.ts'
import { provedDomain, type ScimClient, scimAccount, scimWorld, USER } from '../../testing/scim.ts'
import { PROVIDERS, TestBrowser } from '../../testing/sso.ts'
import { until } from '../../testing/until.ts'
import { checkProofs } from '../identity-providers/proofs.ts'

/** A user of SCIM has an address in a proved domain, and signs in by its provider. */
const { market, idp, dns, org, admin, domain, full } = await scimWorld()
const weak = await scimAccount(market, admin, ['user:manage', 'role:manage'])
const newUser = (more: object = {}) => ({ schemas: [USER], userName: `${crypto.randomUUID()}@${domain}`, ...more })
const role = async (permissions: readonly string[]) =>
  (await admin.post<{ id: string }>('/flows/v1/roles', { name: crypto.randomUUID(), permissions })).body.id
const off = (scim: ScimClient, userId: string) =>
  scim.operate(`/Users/${userId}`, { op: 'replace', value: { active: false } })
const holders = async (roleId: string) =>
  (await admin.get<{ items: { id: string }[] }>(`/v1/users?roleId=${roleId}`)).body.items.map(({ id }) => id)

describe('a user whom SCIM creates', () => {
  test('has no password, no link, no mail and the default roles, and signs in by the provider', async () => {
    const viewer = await role(['part:create'])
    const own = await provedDomain(admin, { idp, dns }, { defaultRoleIds: [viewer] })
    const userName = `sso@${own.domain}`
    const { id } = await full.created('/Users', newUser({ userName }))
    expect(await holders(viewer)).toEqual([id])
    const links = await market.db.owner`select user_id from organization.activations where user_id = ${id}`
    const mails = await market.db.owner`select id from organization.mails where user_id = ${id}`
    expect([links.length, mails.length]).toEqual([0, 0])
    await idp.register(own.redirectUrl)
    idp.signsIn({ sub: 'sso', email: userName, email_verified: true })
    const session = await new TestBrowser(market).signIn(userName)
    expect((await session.get<{ user: { id: string } }>('/flows/v1/me')).body.user.id).toBe(id)
    const created = (await entriesOf(market, org.orgId, 'user.create')).find(({ request }) => request.userId === id)
    expect(created).toEqual({
      success: true,
      error: null,
      actor_id: full.userId,
      request: { userId: id, roleIds: [viewer] },
    })
    expect((await off(full, id)).status).toBe(200)
    await until(async () => (await session.get('/flows/v1/me')).status === 401, BY_BUS)
  })

  test('is refused where the default roles have a permission that the account lacks', async () => {
    const own = await provedDomain(admin, { idp, dns }, { defaultRoleIds: [await role(['part:create'])] })
    const { status, body } = await weak.post('/Users', newUser({ userName: `a@${own.domain}` }))
    expect([status, body.detail]).toEqual([403, 'You do not hold part:create.'])
  })

  test.each([
    ['a domain that is not claimed', () => 'a@elsewhere.example.org'],
    ['a subdomain of a proved one', () => `a@sub.${domain}`],
    ['two domains', () => `a@${domain}@elsewhere.example.org`],
    ['a domain in a quoted part', () => `"a@${domain}"@elsewhere.example.org`],
    ['a domain with a dot at the end', () => `a@${domain}.`],
    ['the domain of service accounts', () => `a@service-accounts.${domain}`],
    ['no domain', () => domain],
    ['an empty text', () => ''],
    ['a number', () => 5],
    ['nothing', () => null],
  ])('is refused with %s', async (_, userName) => {
    const { status, body } = await full.post('/Users', newUser({ userName: userName() }))
    expect([status, body.scimType]).toEqual([400, 'invalidValue'])
  })

  test('is refused where the proof is of another organization, pending or lost', async () => {
    const other = await market.organization(['CONSUMER'])
    const foreign = await provedDomain(other.administrator.client, { idp, dns })
    const claimed = `${crypto.randomUUID()}.example.net`
    const claim = { name: 'X', issuer: idp.issuer, ...CLIENT, domains: [claimed, foreign.domain] }
    expect((await admin.post(PROVIDERS, claim)).status).toBe(201)
    for (const each of [claimed, foreign.domain]) {
      const { status, body } = await full.post('/Users', newUser({ userName: `a@${each}` }))
      expect([status, body.detail]).toEqual([400, 'userName: must be in a domain that your organization has proved'])
    }
  })

  test('with an address that a user has is 409, in any spelling', async () => {
    const { userName } = await full.created('/Users', newUser())
    for (const each of [userName, userName.toUpperCase(), `ｂ${userName}`.slice(1)]) {
      const { status, body } = await full.post('/Users', newUser({ userName: each }))
      expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    }
  })

  test('with an external id that another user of the organization has is 409', async () => {
    const externalId = crypto.randomUUID()
    const { id } = await full.created('/Users', newUser({ externalId }))
    const taken = await full.post('/Users', newUser({ externalId }))
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
    await admin.post(`/flows/v1/users/${id}/anonymise`)
    expect((await full.post('/Users', newUser({ externalId }))).status).toBe(201)
  })
})

describe('an address', () => {
  test.each(['userName', 'emails[type eq "work"].value', 'emails[primary eq true].value', 'emails.value'])(
    'cannot move to another domain by %s',
    async (path) => {
      const { id, userName } = await full.created('/Users', newUser())
      const value = 'mine@elsewhere.example.org'
      const { status, body } = await full.operate(`/Users/${id}`, { op: 'replace', path, value })
      expect([status, body.scimType]).toEqual([400, 'invalidValue'])
      const put = await full.put(`/Users/${id}`, newUser({ userName: value }))
      expect([put.status, (await full.get(`/Users/${id}`)).body.userName]).toEqual([400, userName])
    },
  )

  test('of a domain whose proof was lost can be deactivated, but no user is created or moved there', async () => {
    const own = await provedDomain(admin, { idp, dns })
    const { id } = await full.created('/Users', newUser({ userName: `a@${own.domain}` }))
    dns.records.delete(`_marketplace-challenge.${own.domain}`)
    const later = () => new Date(Date.now() + 25 * 3_600_000).toISOString()
    const log = { info() {}, warn() {}, error() {} }
    const proofs = { sql: market.db.owner, resolveTxt: dns.resolveTxt, now: later, log }
    await checkProofs(proofs, new AbortController().signal)
    expect((await full.post('/Users', newUser({ userName: `b@${own.domain}` }))).status).toBe(400)
    const moved = await full.created('/Users', newUser())
    const { status } = await full.operate(`/Users/${moved.id}`, {
      op: 'replace',
      path: 'userName',
      value: `c@${own.domain}`,
    })
    expect(status).toBe(400)
    expect((await off(full, id)).body.active).toBe(false)
  })
})

test('a domain whose provider was deleted is no longer proved', async () => {
  const { client } = (await market.organization(['CONSUMER'])).administrator
  const own = await provedDomain(client, { idp, dns })
  const scim = await scimAccount(market, client)
  const { id } = await scim.created('/Users', newUser({ userName: `a@${own.domain}` }))
  await client.send('DELETE', `${PROVIDERS}/${own.providerId}`)
  expect((await scim.post('/Users', newUser({ userName: `b@${own.domain}` }))).status).toBe(400)
  expect((await scim.get(`/Users/${id}`)).status).toBe(404)
})

describe('a new address', () => {
  test('ends the sessions, the password and the link of the provider, because another person may have it', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    const own = await provedDomain(client, { idp, dns })
    const account = await scimAccount(market, client)
    const [before, after] = [`before@${own.domain}`, `after@${own.domain}`]
    const { id } = await account.created('/Users', newUser({ userName: before }))
    await idp.register(own.redirectUrl)
    idp.signsIn({ sub: 'renamed', email: before, email_verified: true })
    const session = await new TestBrowser(market).signIn(before)
    expect((await session.get('/flows/v1/me')).status).toBe(200)
    expect((await account.operate(`/Users/${id}`, { op: 'replace', path: 'userName', value: after })).status).toBe(200)
    await until(async () => (await session.get('/flows/v1/me')).status === 401, BY_BUS)
    // The former person is a new user, and not the one with the new address.
    const again = await new TestBrowser(market).signIn(before)
    expect((await again.get<{ user: { id: string } }>('/flows/v1/me')).body.user.id).not.toBe(id)
    const links = await market.db.owner`select subject from organization.identity_links where user_id = ${id}`
    expect(links.length).toBe(0)
  })

  test('in another spelling of the same one ends nothing', async () => {
    const userName = `same@${domain}`
    const { id } = await full.created('/Users', newUser({ userName }))
    const versions = () => market.db.owner`select session_version from organization.users where id = ${id}`
    const [before] = await versions()
    await full.operate(`/Users/${id}`, { op: 'replace', path: 'userName', value: userName.toUpperCase() })
    expect((await versions())[0]).toEqual(before)
  })

  test.each(['userName', 'emails'])('%s of a megabyte of combining marks is refused at once', async (attribute) => {
    const address = `a@${domain}${'\u0301\u0316'.repeat(200_000)}`
    const more = attribute === 'emails' ? { emails: [{ value: address, primary: true }], userName: undefined } : {}
    const { status } = await full.post('/Users', newUser({ userName: address, ...more }))
    expect(status).toBe(400)
  })
})

test('a list of attributes is one line, and only the name before the first dot counts', async () => {
  const { id } = await full.created('/Users', newUser())
  const asked = (list: string) => full.get(`/Users/${id}?attributes=${encodeURIComponent(list)}`)
  expect(Object.keys((await asked(`userName${'.'.repeat(900)}`)).body).toSorted()).toEqual([
    'id',
    'schemas',
    'userName',
  ])
  expect((await asked(`${'.'.repeat(900)}\nx`)).status).toBe(400)
})

test('the audit log has at most 100 of the members that a request adds, and the number of the others', async () => {
  const ids = await market.db.owner<{ id: string }[]>`
    insert into organization.users (id, org_id, email, given_name, family_name, created_at, updated_at)
    select 'user_many' || n, ${org.orgId}, 'many' || n || '@' || ${domain}, 'A', 'B', now(), now()
    from generate_series(1, 120) n returning id`
  const { id } = await full.created('/Groups', { displayName: crypto.randomUUID() })
  const value = ids.map((each) => ({ value: each.id }))
  expect((await full.operate(`/Groups/${id}`, { op: 'add', path: 'members', value })).status).toBe(204)
  const [entry] = (await entriesOf(market, org.orgId, 'role.provision')).slice(-1)
  const logged = entry?.request.grantedUserIds as string[]
  expect([logged.length, logged.at(-1)]).toEqual([101, 'and 20 more'])
})
