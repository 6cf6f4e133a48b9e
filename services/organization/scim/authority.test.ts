import { describe, expect, test } from 'bun:test'
import type { Permission } from '../../../proto/permissions.ts'
import type { ApiClient } from '../../testing/client.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { BY_BUS, entriesOf, eventsOf } from '../../testing/people.ts'
import { GROUP, type ScimClient, scimAccount, scimWorld, USER } from '../../testing/scim.ts'
import { until } from '../../testing/until.ts'

/** SCIM has the rules of users and roles: who may call it, what the caller lacks, sessions, and the audit log. */
const { market, org, admin, domain, full } = await scimWorld()
const BASIC: readonly Permission[] = ['user:manage', 'role:manage']
const weak = await scimAccount(market, admin, BASIC)
const newUser = (more: object = {}) => ({ schemas: [USER], userName: `${crypto.randomUUID()}@${domain}`, ...more })

/** A person of the domain who has a password and these permissions. */
async function person(permissions: Permission[]) {
  const user = await org.member(permissions)
  const email = `${crypto.randomUUID()}@${domain}`
  await market.db.owner`update organization.users set email = ${email} where id = ${user.userId}`
  return { ...user, email }
}
const role = async (permissions: readonly Permission[]) =>
  (await admin.post<{ id: string }>('/flows/v1/roles', { name: crypto.randomUUID(), permissions })).body.id
const add = (scim: ScimClient, roleId: string, userId: string) =>
  scim.operate(`/Groups/${roleId}`, { op: 'add', path: 'members', value: [{ value: userId }] })
const off = (scim: ScimClient, userId: string) =>
  scim.operate(`/Users/${userId}`, { op: 'replace', value: { active: false } })
const holders = async (roleId: string) =>
  (await admin.get<{ items: { id: string }[] }>(`/v1/users?roleId=${roleId}`)).body.items.map(({ id }) => id)

describe('the token', () => {
  test.each(['/Users', '/Groups', '/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])(
    'of a person is 403 at %s, also of an administrator',
    async (path) => {
      const { status, headers, body } = await admin.get(`/scim/v2${path}`)
      expect([status, headers.get('content-type')]).toEqual([403, 'application/scim+json'])
      expect<object>(body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '403',
        detail: 'This needs the token of a service account.',
      })
    },
  )

  test('of a person creates no user, and the refusal is in the audit log', async () => {
    expect((await admin.post('/scim/v2/Users', newUser())).status).toBe(403)
    const entries = await entriesOf(market, org.orgId, 'user.create')
    expect(entries.at(-1)).toMatchObject({ success: false, error: 'forbidden', actor_id: org.administrator.userId })
  })

  test('of an account without user:manage or role:manage is 403', async () => {
    const users = await scimAccount(market, admin, ['user:manage'])
    const roles = await scimAccount(market, admin, ['role:manage'])
    const none = await scimAccount(market, admin, [])
    expect([(await users.get('/Users')).status, (await users.get('/Groups')).status]).toEqual([200, 403])
    expect([(await roles.get('/Users')).status, (await roles.get('/Groups')).status]).toEqual([403, 200])
    expect([(await none.get('/Schemas')).status, (await users.get('/Schemas')).status]).toEqual([403, 200])
    expect((await roles.post('/Users', newUser())).status).toBe(403)
    expect((await users.post('/Groups', { displayName: 'X' })).status).toBe(403)
  })

  test('that is missing or wrong is 401 with a challenge', async () => {
    for (const token of [undefined, 'wrong']) {
      const { status, headers, body } = await market.anonymous.get('/scim/v2/Users', {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
      expect([status, body.status, headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, '401', true])
    }
  })

  test('of an account that was deactivated ends within a second', async () => {
    const scim = await scimAccount(market, admin, BASIC)
    expect((await scim.get('/Users')).status).toBe(200)
    await admin.post(`/flows/v1/users/${scim.userId}/deactivate`)
    await until(async () => (await scim.get('/Users')).status === 401, BY_BUS)
  })
})

describe('what the account lacks', () => {
  test('cannot be granted by a group, in any operation', async () => {
    const { id } = await full.created('/Users', newUser())
    const strong = await role(['part:create'])
    const members = [{ value: id }]
    const answers = [
      await add(weak, strong, id),
      await weak.operate(`/Groups/${strong}`, { op: 'replace', value: { members } }),
      await weak.put(`/Groups/${strong}`, { displayName: 'Mine', members }),
      await weak.operate(`/Groups/${strong}`, { op: 'replace', path: 'displayName', value: 'Mine' }),
      await weak.operate(`/Groups/${strong}`, { op: 'add', path: 'externalId', value: 'mine' }),
      await weak.delete(`/Groups/${strong}`),
    ]
    for (const { status, body } of answers) expect([status, body.detail]).toEqual([403, 'You do not hold part:create.'])
    expect(await holders(strong)).toEqual([])
    expect((await add(full, strong, id)).status).toBe(204)
    const remove = await weak.operate(`/Groups/${strong}`, { op: 'remove', path: `members[value eq "${id}"]` })
    expect([remove.status, await holders(strong)]).toEqual([403, [id]])
  })

  test('protects its holders: they are neither changed, deactivated nor renamed', async () => {
    const user = await person(['part:create'])
    const before = (await full.get(`/Users/${user.userId}`)).text
    const answers = [
      await off(weak, user.userId),
      await weak.delete(`/Users/${user.userId}`),
      await weak.put(`/Users/${user.userId}`, newUser()),
      await weak.operate(`/Users/${user.userId}`, { op: 'replace', path: 'externalId', value: 'mine' }),
    ]
    for (const { status, body } of answers)
      expect([status, body.detail]).toEqual([403, 'The user holds a permission that you do not hold.'])
    expect((await full.get(`/Users/${user.userId}`)).text).toBe(before)
  })

  test('is not in a role that SCIM creates', async () => {
    const body = { schemas: [GROUP], displayName: crypto.randomUUID(), permissions: ['org:admin'], system: true }
    const { id } = await full.created('/Groups', body)
    const created = await admin.get<{ permissions: string[]; system: boolean }>(`/v1/roles/${id}`)
    expect([created.body.permissions, created.body.system]).toEqual([[], false])
  })
})

describe('a system role', () => {
  test('has members, and keeps its name', async () => {
    const { id } = await full.created('/Users', newUser())
    const roles = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
    const viewer = roles.body.items.find(({ name }) => name === 'Viewer')?.id as string
    expect((await add(full, viewer, id)).status).toBe(204)
    const same = await full.operate(`/Groups/${viewer}`, { op: 'Replace', path: 'displayName', value: 'Viewer' })
    expect(same.status).toBe(204)
    for (const { status, body } of [
      await full.operate(`/Groups/${viewer}`, { op: 'replace', path: 'displayName', value: 'Guests' }),
      await full.delete(`/Groups/${viewer}`),
    ])
      expect([status, body.detail]).toEqual([409, 'System roles cannot be changed.'])
  })
})

describe('deactivation', () => {
  test('ends the sessions in every service and voids links, and a reactivation brings none back', async () => {
    const user = await person(['part:create'])
    const { client, userId } = user
    expect((await client.get('/v1/parts')).status).toBe(200)
    expect((await off(full, userId)).status).toBe(200)
    const ended = async (session: ApiClient) => (await session.get('/v1/parts')).status === 401
    await until(() => ended(client), BY_BUS)
    expect(await eventsOf(market, userId)).toContain('organization.user.deactivated')
    expect((await full.operate(`/Users/${userId}`, { op: 'replace', path: 'active', value: true })).status).toBe(200)
    expect(await ended(client)).toBe(true)
    await client.signIn(user.email, TEST_PASSWORD)
    expect(await ended(client)).toBe(false)
  })
})

describe('the audit log', () => {
  test('has one entry for each command with what changed, and no personal data', async () => {
    const secret = crypto.randomUUID()
    const { id } = await full.created('/Users', newUser({ externalId: secret, password: secret }))
    const operations = [
      { op: 'replace', path: 'name.givenName', value: secret },
      { op: 'replace', path: 'active', value: false },
      { op: 'replace', path: `x${secret}`, value: secret },
    ]
    expect((await full.operate(`/Users/${id}`, ...operations)).status).toBe(200)
    const changes = (await entriesOf(market, org.orgId, 'user.provision')).filter(({ request }) => request.id === id)
    expect(changes).toEqual([
      { success: true, error: null, actor_id: full.userId, request: { id, fields: ['givenName', 'deactivate'] } },
    ])
    const roleId = await role([])
    await add(full, roleId, id)
    const grants = (await entriesOf(market, org.orgId, 'role.provision')).filter(({ request }) => request.id === roleId)
    expect(grants.map(({ request }) => request)).toEqual([
      { id: roleId, fields: [], grantedUserIds: [id], withdrawnUserIds: [] },
    ])
    expect((await full.operate(`/Groups/${roleId}`, { op: 'remove', path: 'members' })).status).toBe(204)
    expect((await full.delete(`/Groups/${roleId}`)).status).toBe(204)
    const deleted = await entriesOf(market, org.orgId, 'role.delete')
    expect(deleted.at(-1)).toMatchObject({ success: true, actor_id: full.userId, request: { id: roleId } })
    const [leak] = await market.db.owner`
      select id from organization.audit_log where request::text like ${`%${secret}%`}`
    expect(leak).toBeUndefined()
  })

  test('has the refusals 403, 409 and 412, but neither 400 nor 404', async () => {
    const strong = await role(['part:create'])
    await weak.operate(`/Groups/${strong}`, { op: 'remove', path: 'members' })
    await full.operate(`/Groups/${strong}`, { op: 'replace', path: 'displayName', value: 'Viewer' })
    await full.patch(
      `/Groups/${strong}`,
      { Operations: [{ op: 'remove', path: 'members' }] },
      { 'if-match': '"other"' },
    )
    await full.operate(`/Groups/${strong}`, { op: 'move', path: 'members' })
    const entries = (await entriesOf(market, org.orgId, 'role.provision')).filter(
      ({ request }) => request.id === strong,
    )
    expect(entries.map(({ error }) => error)).toEqual(['forbidden', 'conflict', 'precondition_failed'])
  })
})
