import { describe, expect, test } from 'bun:test'
import type { Org } from '../../../proto/http/organization/orgs.ts'
import type { Role } from '../../../proto/http/organization/roles.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING, TEST_PASSWORD } from '../../testing/marketplace.ts'
import {
  BY_BUS,
  entriesOf,
  eventsOf,
  newPerson,
  type Page,
  type Problem,
  patch,
  tokenOf,
} from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const operator = await market.operator()
const distributor = await market.organization(['DISTRIBUTOR'])
const engaged = await market.organization(['CONSUMER'], {
  distributorOrgId: distributor.orgId,
  website: 'https://a.example',
})
const stranger = await market.organization(['IP_OWNER'])
const { client } = operator.administrator

const UNKNOWN = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
type CreatedOrg = Org & { administratorId: string; activationUrl: string }
const read = (by: ApiClient, id: string) => by.get<Org>(`/v1/orgs/${id}`)
const batch = (by: ApiClient, ids: unknown) => by.post<{ items: Org[] } & Problem>('/v1/orgs:batch-get', { ids })
const body = (more: Record<string, unknown> = {}) => ({
  name: 'New Company',
  roles: ['IP_OWNER'],
  regionCode: 'DK',
  administrator: newPerson(),
  ...more,
})
const create = (sent: unknown, by: ApiClient = client, headers: Record<string, string> = {}) =>
  by.post<CreatedOrg & Problem>('/flows/v1/orgs', sent, headers)
const change = (id: string, sent: unknown, by: ApiClient = client, headers: Record<string, string> = {}) =>
  patch<Org>(by, `/flows/v1/orgs/${id}`, sent, headers)

describe('reading', () => {
  const shape = {
    id: engaged.orgId,
    name: expect.stringMatching(/^Org /),
    roles: ['CONSUMER'],
    regionCode: 'NO',
    website: 'https://a.example',
  }
  const whole = { ...shape, engagement: 'DISTRIBUTOR', distributorOrgId: distributor.orgId }

  test('the engagement is visible to the organization, its distributor and the operator only', async () => {
    const seen = async (by: ApiClient) => (await read(by, engaged.orgId)).body as unknown
    const own = await engaged.member([])
    for (const by of [own.client, distributor.administrator.client, client]) expect(await seen(by)).toEqual(whole)
    expect(await seen(stranger.administrator.client)).toEqual(shape)
    const direct = (await read(stranger.administrator.client, stranger.orgId)).body
    expect([direct.engagement, 'distributorOrgId' in direct]).toEqual(['DIRECT', false])
  })

  test('a batch returns the requested order without duplicates and unknown ids; wrong ids are 400', async () => {
    const ids = [engaged.orgId, UNKNOWN, stranger.orgId, engaged.orgId, 'no id']
    const answer = await batch(stranger.administrator.client, ids)
    expect(answer.body.items.map(({ id }) => id)).toEqual([engaged.orgId, stranger.orgId])
    expect(answer.body.items.map((org) => 'engagement' in org)).toEqual([false, true])
    for (const bad of [[], Array.from({ length: 101 }, () => 'x'), 'x', undefined]) {
      expect((await batch(stranger.administrator.client, bad)).status).toBe(400)
    }
  })

  test('the ETag differs if the visible fields differ', async () => {
    const tags = await Promise.all(
      [client, distributor.administrator.client, stranger.administrator.client].map(async (by) =>
        (await read(by, engaged.orgId)).headers.get('etag'),
      ),
    )
    expect([tags[0] === tags[1], tags[0] === tags[2]]).toEqual([true, false])
  })

  test('an unknown organization is 404', async () => {
    expect((await read(client, UNKNOWN)).status).toBe(404)
  })
})

describe('creating', () => {
  test('creates the system roles and the first administrator, who can sign in with the link', async () => {
    const sent = body({
      distributorOrgId: distributor.orgId,
      roles: ['CONSUMER', 'CONSUMER'],
      website: 'https://new.example',
    })
    const answer = await create(sent)
    const { activationUrl, administratorId, ...org } = answer.body
    expect([answer.status, org as Org]).toEqual([
      201,
      {
        id: org.id,
        name: 'New Company',
        roles: ['CONSUMER'],
        regionCode: 'DK',
        website: 'https://new.example',
        engagement: 'DISTRIBUTOR',
        distributorOrgId: distributor.orgId,
      },
    ])
    const administrator = new ApiClient(market.url)
    await administrator.activate(tokenOf(answer.body), TEST_PASSWORD)
    await administrator.signIn(sent.administrator.email, TEST_PASSWORD)
    const roles = (await administrator.get<Page<Role>>('/v1/roles')).body.items
    expect(roles.map(({ name, system }) => [name, system])).toEqual([
      ['Administrator', true],
      ['Buyer', true],
      ['Viewer', true],
    ])
    const self = await administrator.get<{ admin: boolean }>(`/v1/users/${administratorId}`)
    expect(self.body.admin).toBe(true)
    const entry = (await entriesOf(market, operator.orgId, 'org.create')).at(-1)
    expect(entry?.request).toMatchObject({ orgId: org.id, name: 'New Company' })
    expect(JSON.stringify(entry)).not.toContain(sent.administrator.email)
    expect(await eventsOf(market, org.id)).toEqual(['organization.org.changed'])
  })

  test('twice with one Idempotency-Key returns the first response', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const sent = body()
    const [first, again] = [await create(sent, client, headers), await create(sent, client, headers)]
    expect([again.status, again.text]).toEqual([201, first.text])
  })

  test('without platform:operate is 403', async () => {
    expect((await create(body(), stranger.administrator.client)).status).toBe(403)
    expect((await create(body(), (await operator.member(['org:admin'])).client)).status).toBe(403)
  })

  test.each([
    [{ regionCode: 'dk' }, 'regionCode'],
    [{ website: 'javascript:alert(1)' }, 'website'],
    [{ website: 'https://user:pass@x.example' }, 'website'],
    [{ website: 'https://' }, 'website'],
    [{ roles: ['OPERATOR'] }, 'roles.0'],
    [{ name: '' }, 'name'],
    [{ engagement: 'DISTRIBUTOR' }, 'distributorOrgId'],
    [{ engagement: 'DIRECT', distributorOrgId: distributor.orgId }, 'distributorOrgId'],
    [{ distributorOrgId: stranger.orgId }, 'distributorOrgId'],
    [{ distributorOrgId: UNKNOWN }, 'distributorOrgId'],
    [{ operator: true }, 'operator'],
    [{ administrator: { email: 'x' } }, 'administrator.givenName'],
  ])('%j is 400', async (more, field) => {
    const answer = await create(body(more))
    expect([answer.status, answer.body.errors?.map((error) => error.field)]).toEqual([
      400,
      expect.arrayContaining([field]),
    ])
  })

  test('a taken e-mail address of the administrator is 409, and no organization is created', async () => {
    const before = await market.db.owner`select count(*) from organization.organizations`
    const { email } = stranger.administrator
    const answer = await create(body({ administrator: newPerson({ email: email.toUpperCase() }) }))
    expect([answer.body.code, answer.body.errors?.[0]?.field]).toEqual(['email_taken', 'administrator.email'])
    expect(await market.db.owner`select count(*) from organization.organizations`).toEqual(before)
  })
})

describe('changing', () => {
  test('returns the organization; null clears the website', async () => {
    const { orgId } = await market.organization(['SELLER'], { website: 'https://old.example' })
    const answer = await change(orgId, { name: 'Renamed', regionCode: 'SE', website: null })
    expect([answer.status, answer.body as Org]).toEqual([
      200,
      { id: orgId, name: 'Renamed', roles: ['SELLER'], regionCode: 'SE', engagement: 'DIRECT' },
    ])
    expect((await change(orgId, { name: null })).status).toBe(400)
    expect((await entriesOf(market, operator.orgId, 'org.patch'))[0]?.request).toMatchObject({ id: orgId })
  })

  test('engagement and distributorOrgId stay consistent; contradictions are 400', async () => {
    const { orgId } = await market.organization(['CONSUMER'])
    const by = distributor.orgId
    const terms = async (sent: object) => {
      const { status, body: org } = await change(orgId, sent)
      return status === 200 ? [org.engagement, org.distributorOrgId] : status
    }
    expect(await terms({ engagement: 'DISTRIBUTOR' })).toBe(400)
    expect(await terms({ distributorOrgId: orgId })).toBe(400)
    expect(await terms({ distributorOrgId: stranger.orgId })).toBe(400)
    expect(await terms({ distributorOrgId: by })).toEqual(['DISTRIBUTOR', by])
    expect(await terms({ engagement: 'DIRECT', distributorOrgId: by })).toBe(400)
    expect(await terms({ engagement: 'DIRECT' })).toEqual(['DIRECT', undefined])
    expect(await terms({ engagement: 'DISTRIBUTOR', distributorOrgId: by })).toEqual(['DISTRIBUTOR', by])
    expect(await terms({ distributorOrgId: null })).toEqual(['DIRECT', undefined])
  })

  test('of the marketplace roles takes effect within a second and changes the applicable permissions', async () => {
    const org = await market.organization(['IP_OWNER'])
    const admin = org.administrator.client
    const custom = { name: 'Mixed', permissions: ['part:create', 'part:update'] }
    const { id } = (await admin.post<Role>('/flows/v1/roles', custom)).body
    const owner = await org.member('IP owner')
    expect((await owner.client.post('/v1/parts', {})).status).toBe(200)
    expect((await change(org.orgId, { roles: ['CONSUMER'] })).body.roles).toEqual(['CONSUMER'])
    await until(async () => (await owner.client.post('/v1/parts', {})).status === 403, BY_BUS)
    const roles = (await admin.get<Page<Role>>('/v1/roles')).body.items
    expect(roles.map(({ name }) => name)).toEqual(['Administrator', 'Buyer', 'Mixed', 'Viewer'])
    expect(roles.find((role) => role.id === id)?.permissions).toEqual(['part:update'])
    expect(roles[0]?.permissions).toContain('app:consumer')
    expect(roles[0]?.permissions).not.toContain('part:create')
    const taken = await admin.post<Problem>('/flows/v1/roles', { name: 'x', permissions: ['part:create'] })
    expect(taken.status).toBe(400)
  })

  test('removing DISTRIBUTOR from an organization that others are engaged through is 409 in_use', async () => {
    const answer = await change(distributor.orgId, { roles: ['SELLER'] })
    expect([answer.status, answer.body.code]).toEqual([409, 'in_use'])
    expect((await read(client, distributor.orgId)).body.roles).toEqual(['DISTRIBUTOR'])
  })

  test('of a concurrent removal of DISTRIBUTOR and use as a distributor one succeeds', async () => {
    for (let round = 0; round < 6; round++) {
      const fresh = await market.organization(['DISTRIBUTOR'])
      const { orgId } = await market.organization(['CONSUMER'])
      const [lost, named] = await Promise.all([
        change(fresh.orgId, { roles: [] }),
        change(orgId, { distributorOrgId: fresh.orgId }),
      ])
      expect([
        [200, 400],
        [409, 200],
      ]).toContainEqual([lost.status, named.status])
    }
  })

  test('two organizations that concurrently become distributors of each other do not deadlock', async () => {
    const [one, other] = [await market.organization(['DISTRIBUTOR']), await market.organization(['DISTRIBUTOR'])]
    const answers = await Promise.all([
      change(one.orgId, { distributorOrgId: other.orgId }),
      change(other.orgId, { distributorOrgId: one.orgId }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  test('with an outdated If-Match is 412, without platform:operate 403, of an unknown organization 404', async () => {
    const { orgId, administrator } = await market.organization(['SELLER'])
    const etag = (await read(client, orgId)).headers.get('etag') as string
    expect((await change(orgId, { name: 'A' }, client, { 'if-match': etag })).status).toBe(200)
    expect((await change(orgId, { name: 'B' }, client, { 'if-match': etag })).status).toBe(412)
    expect((await change(orgId, { name: 'Mine' }, administrator.client)).status).toBe(403)
    expect((await change(UNKNOWN, { name: 'x' })).status).toBe(404)
  })
})
