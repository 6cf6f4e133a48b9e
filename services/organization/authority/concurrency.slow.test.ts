import { expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { User } from '../../../proto/http/organization/users.ts'
import type { ApiAnswer, ApiClient } from '../../testing/client.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { created, newPerson, type Page, patch } from '../../testing/people.ts'

const market = await testMarketplace({ DATABASE_POOL_SIZE: '8' })
const org = await market.organization(['IP_OWNER'])
const operator = await market.operator()
const others = [await org.member('Administrator'), await org.member('Administrator')]
const manager = await org.member(['user:manage', 'role:manage', 'part:create'])
const { client: admin } = org.administrator

const COMMANDS = 400
/** A multiplicative congruential generator, so that every run sends the same commands. */
let seed = 20_261_121
const chance = (below: number) => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const oneOf = <T>(items: readonly T[]): T => items[chance(items.length)] as T

const users = [org.administrator.userId, ...others.map(({ userId }) => userId), manager.userId]
for (let n = 0; n < 8; n++) users.push((await created(admin)).id)
const roles = (await admin.get<Page<Role>>('/v1/roles?pageSize=50')).body.items.map(({ id }) => id)
for (const permissions of [[], ['part:create'], ['org:admin']]) {
  roles.push((await admin.post<Role>('/flows/v1/roles', { name: crypto.randomUUID(), permissions })).body.id)
}
const callers: ApiClient[] = [admin, ...others.map(({ client }) => client), manager.client]

const COMMANDS_OF: ((by: ApiClient) => Promise<ApiAnswer<unknown>>)[] = [
  (by) => by.post('/flows/v1/users', newPerson({ roleIds: [oneOf(roles)] })),
  (by) => patch(by, `/flows/v1/users/${oneOf(users)}`, { email: `${crypto.randomUUID()}@example.com` }),
  (by) =>
    by.post(`/flows/v1/users/${oneOf(users)}/${oneOf(['activate', 'deactivate', 'deactivate', 'reset-password'])}`),
  (by) => by.post(`/flows/v1/users/${oneOf(users.slice(4))}/anonymise`),
  (by) => by.post(`/flows/v1/roles/${oneOf(roles)}/grant`, { userId: oneOf(users) }),
  (by) => by.post(`/flows/v1/roles/${oneOf(roles)}/withdraw`, { userId: oneOf(users) }),
  (by) => patch(by, `/flows/v1/roles/${oneOf(roles)}`, { permissions: oneOf([[], ['part:create'], ['org:admin']]) }),
  (by) => by.send('DELETE', `/flows/v1/roles/${oneOf(roles)}`),
  () =>
    patch(operator.administrator.client, `/flows/v1/orgs/${org.orgId}`, { roles: oneOf([['IP_OWNER'], ['SELLER']]) }),
  (by) => by.get<Page<User>>(`/v1/users?permission=part:create&pageSize=50`),
]

test('concurrent commands on one organization cause no 5xx and leave an administrator', async () => {
  const answers = await Promise.all(Array.from({ length: COMMANDS }, () => oneOf(COMMANDS_OF)(oneOf(callers))))
  const failures = answers.filter(({ status }) => status >= 500).map(({ status, text }) => `${status} ${text}`)
  expect(failures).toEqual([])
  expect(answers.some(({ status }) => status === 200)).toBe(true)

  const { owner } = market.db
  const left = await owner`
    select u.id from organization.users u
    join organization.user_roles ur on ur.user_id = u.id
    join organization.roles r on r.id = ur.role_id
    where u.org_id = ${org.orgId} and u.active and 'org:admin' = any(r.permissions)`
  expect(left.length).toBeGreaterThan(0)
  const inconsistent = await owner`
    select ur.user_id from organization.user_roles ur
    join organization.users u on u.id = ur.user_id join organization.roles r on r.id = ur.role_id
    where ur.email_key <> u.email_key or ur.org_id <> u.org_id or ur.org_id <> r.org_id or u.anonymised_at is not null`
  expect(inconsistent).toHaveLength(0)
  const inapplicable = await owner`
    select r.id from organization.roles r
    where r.org_id = ${org.orgId} and 'part:create' = any(r.permissions)
      and not (select 'IP_OWNER' = any(roles) from organization.organizations where id = r.org_id)`
  expect(inapplicable).toHaveLength(0)
}, 60_000)

test('fields of the maximum length, in characters of four bytes, are stored, listed and found', async () => {
  const fresh = await market.organization(['IP_OWNER'])
  const { client } = fresh.administrator
  const letter = '\u{10ffff}'
  // The lower case of this character is longer than the character.
  const growing = '\u023a'
  for (const filler of [letter, growing]) {
    const email = `${filler.repeat(240)}@${filler.repeat(13)}`
    const user = await created(client, { email, givenName: filler.repeat(100), familyName: filler.repeat(100) })
    const found = await client.get<Page<User>>(`/v1/users?q=${encodeURIComponent(filler.repeat(60))}`)
    expect([found.status, found.body.items.map(({ id }) => id)]).toEqual([200, [user.id]])
  }
})
