import { expect, setDefaultTimeout, test } from 'bun:test'
import { entriesOf } from '../../testing/people.ts'
import { provedDomain, scimAccount, scimWorld } from '../../testing/scim.ts'

/** Concurrent requests have the result of one order of them. */
setDefaultTimeout(60_000)
const { market, idp, dns, org, domain, full } = await scimWorld()
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
  for (const [index, change] of changes.entries()) expect(change).toBe(index % 2 === 0 ? 'deactivate' : 'activate')
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

test('a thousand members are added and removed by one request each', async () => {
  const now = new Date().toISOString()
  const rows = Array.from({ length: 1000 }, (_, n) => `user_bulk${String(n).padStart(4, '0')}`)
  await market.db.owner`
    insert into organization.users (id, org_id, email, given_name, family_name, created_at, updated_at)
    select id, ${org.orgId}, id || ${`@${domain}`}, 'A', 'B', ${now}, ${now} from unnest(${rows}::text[]) id`
  const members = rows.map((value) => ({ value, display: `${value}@${domain}`, type: 'User', $ref: '../Users/x' }))
  const created = await full.post('/Groups', { displayName: 'Thousand', members })
  expect([created.status, created.body.members.length]).toEqual([201, 1000])
  const { id } = created.body
  const emptied = await full.put(`/Groups/${id}`, { displayName: 'Thousand', members: [] })
  expect([emptied.status, emptied.body.members]).toEqual([200, []])
})
