import { describe, expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { BY_BUS, created, entriesOf, type Page, type Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client } = org.administrator

const roleIn = async (by: ApiClient, name: string) =>
  (await by.get<Page<Role>>(`/v1/roles?q=${name}`)).body.items[0]?.id as string
const [administrator, owner, viewer] = (await Promise.all(
  ['Administrator', 'owner', 'Viewer'].map((name) => roleIn(client, name)),
)) as [string, string, string]

const grant = (roleId: string, userId: string, by: ApiClient = client) =>
  by.post<Role & Problem>(`/flows/v1/roles/${roleId}/grant`, { userId })
const withdraw = (roleId: string, userId: string, by: ApiClient = client) =>
  by.post<Role & Problem>(`/flows/v1/roles/${roleId}/withdraw`, { userId })
const rolesOf = async (userId: string) =>
  (await client.get<Page<Role>>(`/v1/roles?userId=${userId}`)).body.items.map(({ id }) => id)

test('a granted and a withdrawn role take effect within a second', async () => {
  const member = await org.member([])
  const part = () => member.client.post('/v1/parts', { title: 'x' })
  expect((await part()).status).toBe(403)
  const granted = await grant(owner, member.userId)
  expect([granted.status, granted.body.name]).toEqual([200, 'IP owner'])
  await until(async () => (await part()).status === 200, BY_BUS)
  expect((await withdraw(owner, member.userId)).status).toBe(200)
  await until(async () => (await part()).status === 403, BY_BUS)
  for (const procedure of ['role.grant', 'role.withdraw']) {
    const request = { id: owner, userId: member.userId }
    expect((await entriesOf(market, org.orgId, procedure)).at(-1)).toMatchObject({ success: true, request })
  }
})

test('granting a role that the user holds and withdrawing one that the user does not hold are 409', async () => {
  const user = await created(client, { roleIds: [viewer] })
  for (const answer of [await grant(viewer, user.id), await withdraw(owner, user.id)]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  }
  expect(await rolesOf(user.id)).toEqual([viewer])
})

describe.each([
  ['granting', grant],
  ['withdrawing', withdraw],
] as const)('%s', (_, command) => {
  test('a role with a permission that the caller does not hold is 403, for the caller too', async () => {
    const manager = await org.member(['role:manage', 'user:manage', 'part:create'])
    for (const userId of [manager.userId, org.administrator.userId, (await created(client)).id]) {
      const answer = await command(administrator, userId, manager.client)
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
    expect(await rolesOf(manager.userId)).toHaveLength(1)
  })

  test('without role:manage is 403', async () => {
    const member = await org.member(['org:admin', 'user:manage'])
    expect((await command(viewer, member.userId, member.client)).status).toBe(403)
  })

  test('a user of another organization is 400, like an unknown user, and gets no role', async () => {
    const unknown = 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
    for (const [userId, named] of [
      [stranger.administrator.userId, `\`${stranger.administrator.userId}\``],
      [unknown, `\`${unknown}\``],
      ['no id', '`no id`'],
      ['<no id>', 'with this id'],
    ] as const) {
      const answer = await command(viewer, userId)
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [{ field: 'userId', message: `there is no user ${named} in your organization` }],
      ])
    }
    const held = await market.db.owner`
      select role_id from organization.user_roles where user_id = ${stranger.administrator.userId}`
    expect(held).toHaveLength(1)
  })

  test('a role of another organization is 404 for every user', async () => {
    const foreign = await roleIn(stranger.administrator.client, 'Viewer')
    expect((await command(foreign, org.administrator.userId)).status).toBe(404)
    expect((await command(foreign, stranger.administrator.userId)).status).toBe(404)
  })
})

describe('the last administrator', () => {
  test('cannot lose the role: 409 last_administrator', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { administrator: last } = fresh
    const answer = await withdraw(await roleIn(last.client, 'Administrator'), last.userId, last.client)
    expect([answer.status, answer.body.code]).toEqual([409, 'last_administrator'])
    expect((await entriesOf(market, fresh.orgId, 'role.withdraw')).at(-1)?.error).toBe('last_administrator')
  })

  test('can lose one of two roles with org:admin', async () => {
    const fresh = await market.organization(['IP_OWNER'])
    const { administrator: last } = fresh
    const body = { name: 'Second', permissions: ['org:admin'] }
    const second = (await last.client.post<Role>('/flows/v1/roles', body)).body.id
    await grant(second, last.userId, last.client)
    const first = await roleIn(last.client, 'Administrator')
    expect((await withdraw(first, last.userId, last.client)).status).toBe(200)
  })

  test('of two concurrent withdrawals exactly one succeeds', async () => {
    for (let round = 0; round < 8; round++) {
      const fresh = await market.organization(['IP_OWNER'])
      const { administrator: one } = fresh
      const other = await fresh.member('Administrator')
      const roleId = await roleIn(one.client, 'Administrator')
      const answers = await Promise.all([
        withdraw(roleId, other.userId, one.client),
        withdraw(roleId, one.userId, other.client),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const refused = answers.find(({ status }) => status !== 200)
      // The second caller may already have lost the role.
      expect(['last_administrator', 'forbidden']).toContain(refused?.body.code as string)
      const left = await market.db.owner`select user_id from organization.user_roles where role_id = ${roleId}`
      expect(left).toHaveLength(1)
    }
  })

  test('of a concurrent withdrawal and deactivation exactly one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const fresh = await market.organization(['IP_OWNER'])
      const { administrator: one } = fresh
      const other = await fresh.member('Administrator')
      const roleId = await roleIn(one.client, 'Administrator')
      const answers = await Promise.all([
        withdraw(roleId, other.userId, one.client),
        one.client.post(`/flows/v1/users/${one.userId}/deactivate`),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })
})
