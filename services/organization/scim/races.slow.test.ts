import { expect, setDefaultTimeout, test } from 'bun:test'
import { RACING } from '../../testing/marketplace.ts'
import { entriesOf } from '../../testing/people.ts'
import { provedDomain, scimAccount, scimWorld } from '../../testing/scim.ts'

/** Concurrent requests have the result of one order of them. */
setDefaultTimeout(60_000)
const { market, idp, dns, org, domain, full } = await scimWorld(RACING)
const AT_ONCE = 16
const several = <T>(send: (n: number) => Promise<T>, count = AT_ONCE) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)))
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()
const newUser = (more: object = {}) => ({ userName: `${crypto.randomUUID()}@${domain}`, ...more })
const repeated = (status: number, count: number) => Array.from({ length: count }, () => status)

test('one of many equal creations succeeds, and the others are 409', async () => {
  const body = newUser()
  expect(statuses(await several(() => full.post('/Users', body)))).toEqual([201, ...repeated(409, AT_ONCE - 1)])
  const externalId = crypto.randomUUID()
  const answers = await several(() => full.post('/Users', newUser({ externalId })))
  expect(statuses(answers)).toEqual([201, ...repeated(409, AT_ONCE - 1)])
  const groups = await several(() => full.post('/Groups', { displayName: 'Same' }))
  expect(statuses(groups)).toEqual([201, ...repeated(409, AT_ONCE - 1)])
})

test('one of many changes with the same If-Match succeeds, and the others are 412', async () => {
  const { id, meta } = await full.created('/Users', newUser())
  const change = (n: number) => ({ Operations: [{ op: 'replace', path: 'name.givenName', value: `Ida ${n}` }] })
  const answers = await several((n) => full.patch(`/Users/${id}`, change(n), { 'if-match': meta.version }))
  expect(statuses(answers)).toEqual([200, ...repeated(412, AT_ONCE - 1)])
  const group = await full.created('/Groups', { displayName: crypto.randomUUID() })
  const put = (n: number) => ({ displayName: group.displayName, members: [{ value: n % 2 ? id : id }] })
  const replaced = await several((n) => full.put(`/Groups/${group.id}`, put(n), { 'if-match': group.meta.version }))
  expect(statuses(replaced)).toEqual([200, ...repeated(412, AT_ONCE - 1)])
})

test('activations and deactivations of one user all succeed, and each change has one entry', async () => {
  const { id } = await full.created('/Users', newUser())
  const answers = await several((n) =>
    full.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: n % 2 === 0 }),
  )
  expect(statuses(answers)).toEqual(repeated(200, AT_ONCE))
  for (const [n, { body }] of answers.entries()) expect(body.active).toBe(n % 2 === 0)
  const entries = (await entriesOf(market, org.orgId, 'user.provision')).filter(({ request }) => request.id === id)
  expect(entries.length).toBe(AT_ONCE)
  const changes = entries.flatMap(({ request }) => request.fields as string[])
  // The states alternate, and the first of them is active.
  const count = (change: string) => changes.filter((each) => each === change).length
  expect([0, 1]).toContain(count('deactivate') - count('activate'))
  const { active } = (await full.get(`/Users/${id}`)).body
  expect(active).toBe(count('deactivate') === count('activate'))
})

test('of two administrators who are deactivated together, one remains', async () => {
  const { client, userId } = (await market.organization(['CONSUMER'])).administrator
  const own = await provedDomain(client, { idp, dns })
  const scim = await scimAccount(market, client)
  const roles = await client.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
  const administrators = roles.body.items.find(({ name }) => name === 'Administrator')?.id as string
  await market.db.owner`update organization.users set email = ${`a@${own.domain}`} where id = ${userId}`
  const second = await scim.created('/Users', { userName: `b@${own.domain}` })
  const add = { op: 'add', path: 'members', value: [{ value: second.id }] }
  expect((await scim.operate(`/Groups/${administrators}`, add)).status).toBe(204)
  const answers = await Promise.all([
    scim.operate(`/Users/${userId}`, { op: 'replace', path: 'active', value: false }),
    scim.delete(`/Users/${second.id}`),
    scim.operate(`/Groups/${administrators}`, { op: 'remove', path: `members[value eq "${userId}"]` }),
  ])
  expect(answers.filter(({ status }) => status === 409).length).toBeGreaterThan(0)
  const rows = await market.db.owner`
    select from organization.users u join organization.user_roles ur on ur.user_id = u.id
    where ur.role_id = ${administrators} and u.active and u.kind = 'PERSON'`
  expect(rows.length).toBe(1)
})

test('concurrent replacements of members leave those of one request', async () => {
  const users = await several(() => full.created('/Users', newUser()), 6)
  const ids = users.map(({ id }) => id)
  const { id, displayName } = await full.created('/Groups', { displayName: crypto.randomUUID() })
  const sets = [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6)]
  const answers = await several((n) =>
    full.put(`/Groups/${id}`, { displayName, members: sets[n % 3]?.map((value) => ({ value })) }),
  )
  expect(statuses(answers)).toEqual(repeated(200, AT_ONCE))
  const members = (await full.get(`/Groups/${id}`)).body.members.map(({ value }) => value).sort()
  expect(sets.map((set) => [...set].sort())).toContainEqual(members)
})

test('a flood of the largest requests is answered, and others are not kept waiting', async () => {
  const members = await several((n) => full.created('/Users', newUser({ externalId: `flood-${n}` })), 50)
  const { id } = await full.created('/Groups', { displayName: crypto.randomUUID() })
  const value = Array.from({ length: 10 }, (_, n) => ({ value: members[n]?.id }))
  const operations = Array.from({ length: 100 }, (_, n) => ({ op: n % 2 ? 'remove' : 'add', path: 'members', value }))
  const elsewhere = (await market.organization(['CONSUMER'])).administrator.client
  const flood = several(() => full.operate(`/Groups/${id}`, ...operations), 40)
  const beganMs = performance.now()
  expect((await elsewhere.get('/v1/roles')).status).toBe(200)
  expect((await elsewhere.post('/flows/v1/roles', { name: 'Meanwhile', permissions: [] })).status).toBe(201)
  expect(performance.now() - beganMs).toBeLessThan(5000)
  for (const { status } of await flood) expect([204, 429, 503]).toContain(status)
})

/** Inserts people of the domain, who would take minutes to create one by one. */
async function inserted(count: number): Promise<string[]> {
  const prefix = crypto.randomUUID().slice(0, 8)
  const ids = Array.from({ length: count }, (_, n) => `user_${prefix}${String(n).padStart(5, '0')}`)
  const now = new Date().toISOString()
  await market.db.owner`
    insert into organization.users (id, org_id, email, given_name, family_name, created_at, updated_at)
    select id, ${org.orgId}, id || ${`@${domain}`}, 'A', 'B', ${now}, ${now} from unnest(${ids}::text[]) id`
  // Plans for the few people before would read all of them for each member.
  await market.db.owner`analyze organization.users`
  return ids
}

test('a thousand members are added and removed by one request each', async () => {
  const members = (await inserted(1000)).map((value) => ({ value, display: value, type: 'User', $ref: '../Users/x' }))
  const created = await full.post('/Groups', { displayName: 'Thousand', members })
  expect([created.status, created.body.members.length]).toEqual([201, 1000])
  const { id } = created.body
  const emptied = await full.put(`/Groups/${id}`, { displayName: 'Thousand', members: [] })
  expect([emptied.status, emptied.body.members]).toEqual([200, []])
})

test('more than 10,000 members are shown to no one, and are left out where asked', async () => {
  const { id } = await full.created('/Groups', { displayName: 'Everyone' })
  await market.db.owner`
    insert into organization.user_roles (org_id, user_id, role_id, email_key)
    select org_id, id, ${id}, email_key from organization.users where id = any(${await inserted(10_001)})`
  await market.db.owner`analyze organization.user_roles`
  for (const path of [`/Groups/${id}`, '/Groups', '/Groups?filter=displayName+eq+%22everyone%22']) {
    const { status, body } = await full.get(path)
    expect([status, body.scimType]).toEqual([400, 'tooMany'])
  }
  for (const query of ['excludedAttributes=members', 'attributes=displayName'])
    expect((await full.get(`/Groups/${id}?${query}`)).status).toBe(200)
  const renamed = await full.put(`/Groups/${id}`, { displayName: 'All' })
  expect([renamed.status, renamed.body.displayName, 'members' in renamed.body]).toEqual([200, 'All', false])
  const [first] = await full.filter('/Users', `userName eq "${(await inserted(1))[0]}@${domain}"`)
  const add = { op: 'add', path: 'members', value: [{ value: first?.id }] }
  expect((await full.operate(`/Groups/${id}`, add)).status).toBe(204)
  expect((await full.operate(`/Groups/${id}`, { op: 'remove', path: 'members' })).status).toBe(204)
  expect((await full.get(`/Groups/${id}`)).body.members).toEqual([])
})
