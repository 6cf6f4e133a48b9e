import { describe, expect, test } from 'bun:test'
import { GROUP, provedDomain, type ScimClient, scimAccount, scimWorld, USER } from '../../testing/scim.ts'

/** Another organization's user or role is answered as an unknown one, and nothing of it is shown or changed. */
const { market, idp, dns, org, domain, full } = await scimWorld()
const other = await market.organization(['CONSUMER'])
const { client: otherAdmin } = other.administrator
const otherDomain = await provedDomain(otherAdmin, { idp, dns })
const foreign = await scimAccount(market, otherAdmin)
const SECRET = crypto.randomUUID()
const user = await foreign.created('/Users', {
  schemas: [USER],
  userName: `${SECRET}@${otherDomain.domain}`,
  externalId: SECRET,
})
const group = await foreign.created('/Groups', {
  schemas: [GROUP],
  displayName: SECRET,
  externalId: SECRET,
  members: [{ value: user.id }],
})
const own = await full.created('/Groups', { schemas: [GROUP], displayName: 'Own' })
const UNKNOWN = { user: 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', group: 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' }

/** Users, roles and grants of both organizations. */
const contents = async () => {
  const rows = await market.db.owner<{ text: string }[]>`
    select to_jsonb(u)::text as text from organization.users u where org_id in (${org.orgId}, ${other.orgId})
    union all select to_jsonb(r)::text from organization.roles r where org_id in (${org.orgId}, ${other.orgId})
    union all select to_jsonb(g)::text from organization.user_roles g where org_id in (${org.orgId}, ${other.orgId})
    order by 1`
  return rows.map(({ text }) => text)
}

const active = { Operations: [{ op: 'replace', path: 'active', value: false }] }
const rename = { Operations: [{ op: 'replace', path: 'displayName', value: 'Mine' }] }
const added = (value: string) => ({ Operations: [{ op: 'add', path: 'members', value: [{ value }] }] })
const REQUESTS: [string, 'user' | 'group', (scim: ScimClient, id: string) => ReturnType<ScimClient['get']>][] = [
  ['GET of a user', 'user', (scim, id) => scim.get(`/Users/${id}`)],
  ['PUT of a user', 'user', (scim, id) => scim.put(`/Users/${id}`, { userName: `mine@${domain}` })],
  ['PATCH of a user', 'user', (scim, id) => scim.patch(`/Users/${id}`, active)],
  ['PATCH of a user with If-Match', 'user', (scim, id) => scim.patch(`/Users/${id}`, active, { 'if-match': '"x"' })],
  ['DELETE of a user', 'user', (scim, id) => scim.delete(`/Users/${id}`)],
  ['GET of a group', 'group', (scim, id) => scim.get(`/Groups/${id}`)],
  ['PUT of a group', 'group', (scim, id) => scim.put(`/Groups/${id}`, { displayName: 'Mine', members: [] })],
  ['PATCH of a group', 'group', (scim, id) => scim.patch(`/Groups/${id}`, rename)],
  ['DELETE of a group', 'group', (scim, id) => scim.delete(`/Groups/${id}`)],
  [
    'a new group with a member',
    'user',
    (scim, value) => scim.post('/Groups', { displayName: 'N', members: [{ value }] }),
  ],
  ['an added member', 'user', (scim, value) => scim.patch(`/Groups/${own.id}`, added(value))],
  [
    'replaced members',
    'user',
    (scim, value) => scim.put(`/Groups/${own.id}`, { displayName: 'Own', members: [{ value }] }),
  ],
]

describe('a foreign id has the answer of an unknown one, and changes nothing', () => {
  test.each(REQUESTS)('%s', async (_, kind, send) => {
    const before = await contents()
    const id = kind === 'user' ? user.id : group.id
    const [found, unknown] = [await send(full, id), await send(full, UNKNOWN[kind])]
    expect([400, 404]).toContain(found.status)
    expect(found.status).toBe(unknown.status)
    expect(found.text.replaceAll(id, 'id')).toBe(unknown.text.replaceAll(UNKNOWN[kind], 'id'))
    const headersOf = ({ headers }: typeof found) =>
      [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name))
    expect(headersOf(found)).toEqual(headersOf(unknown))
    expect(await contents()).toEqual(before)
  })
})

describe('a list', () => {
  test.each(['/Users', '/Groups'])('%s has nothing of another organization, by no filter', async (path) => {
    const all = await full.get(path)
    expect(all.status).toBe(200)
    expect(all.text).not.toContain(SECRET)
    const filters = [`externalId eq "${SECRET}"`]
    if (path === '/Users') filters.push(`userName eq "${user.userName}"`)
    else filters.push(`displayName eq "${SECRET}"`)
    for (const filter of filters) {
      const { body, text } = await full.get(`${path}?filter=${encodeURIComponent(filter)}`)
      expect([body.totalResults, text.includes(SECRET)]).toEqual([0, false])
    }
  })
})

test('an external id of another organization is free, and a removed foreign member stays', async () => {
  const { externalId } = await full.created('/Users', { userName: `same@${domain}`, externalId: SECRET })
  expect(externalId).toBe(SECRET)
  const remove = { op: 'remove', path: `members[value eq "${user.id}"]` }
  expect((await full.operate(`/Groups/${own.id}`, remove)).status).toBe(204)
  expect((await foreign.get(`/Groups/${group.id}`)).body.members.map(({ value }) => value)).toEqual([user.id])
})

test('the same names in both organizations are two groups', async () => {
  expect((await full.created('/Groups', { displayName: SECRET })).id).not.toBe(group.id)
})
