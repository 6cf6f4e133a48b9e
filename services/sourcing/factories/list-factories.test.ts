import { describe, expect, test } from 'bun:test'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const [bergen, ruhr, owner] = await Promise.all([
  market.organization(['MANUFACTURER'], { name: 'Vestland Additive' }),
  market.organization(['MANUFACTURER'], { name: 'Ruhr Präzision' }),
  market.organization(['IP_OWNER']),
])
const distributor = await market.organization(['DISTRIBUTOR'])
const otherDistributor = await market.organization(['DISTRIBUTOR'])
const direct = await market.organization(['CONSUMER'])
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const neighbour = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const consumer = direct.administrator.client
const manufacturer = bergen.administrator.client

const AMSL = 'api-20s-amsl-2'
const printer = await createFactory(manufacturer, {
  name: 'Bergen Print',
  capabilities: [
    { materialCode: '316l', technologyId: 'pbf-lb-m', standardCodes: ['iso-astm-52901'], criticalityIds: [AMSL] },
    { materialCode: 'in718', technologyId: 'ded-lb', standardCodes: ['iso-9001'] },
  ],
})
const mill = await createFactory(ruhr.administrator.client, {
  name: 'Essen Mill',
  address: { regionCode: 'DE', locality: 'Essen', lines: [] },
  capabilities: [
    { materialCode: '316l', technologyId: 'mill-5' },
    { materialCode: 'in718', technologyId: 'turn', standardCodes: ['iso-astm-52901'] },
  ],
})
await createFactory(ruhr.administrator.client, {
  name: 'Bochum Foundry',
  address: { regionCode: 'DE', locality: 'Bochum', postalCode: '44787', lines: ['Ring 1'] },
  capabilities: [{ materialCode: 'gjs-400', technologyId: 'sc-bjt' }],
})
await createFactory(manufacturer, { name: 'Bergen Laboratory', internal: true })
const closed = await createFactory(manufacturer, { name: 'Bergen Old Hall' })
await manufacturer.post(`/flows/v1/factories/${closed.id}/deactivate`)

interface Page {
  items: Factory[]
  hasMore: boolean
  code?: string
}

const list = (query: string, client: ApiClient = consumer, view = 'CONSUMER') =>
  client.get<Page>(`/v1/factories?view=${view}&${query}`)

async function namesOf(query: string, client?: ApiClient, view?: string): Promise<string[]> {
  const { status, body, text } = await list(query, client, view)
  expect([status, text]).toEqual([200, text])
  return body.items.map(({ name }) => name)
}

const ALL = ['Bergen Print', 'Bochum Foundry', 'Essen Mill']

async function createPart(input: PartInput, published = true): Promise<string> {
  const { client } = owner.administrator
  const { id } = (await client.post<{ id: string }>('/v1/parts', { title: 'Impeller', ...input })).body
  if (published) expect((await client.post(`/flows/v1/parts/${id}/publish`)).status).toBe(200)
  return id
}

describe('rule 1: the views', () => {
  test('MANUFACTURER lists the own factories, inactive and internal ones too', async () => {
    const names = ['Bergen Laboratory', 'Bergen Old Hall', 'Bergen Print']
    expect(await namesOf('', manufacturer, 'MANUFACTURER')).toEqual(names)
  })

  test('CONSUMER lists every active factory that is not internal for a directly engaged organization, by name', async () => {
    expect(await namesOf('')).toEqual(ALL)
  })

  test('CONSUMER lists only what the distributor released for an organization engaged through it, at once', async () => {
    const { client } = engaged.administrator
    const release = (verb: string) =>
      distributor.administrator.client.post(`/flows/v1/factories/${mill.id}/${verb}`, { orgId: engaged.orgId })
    expect(await namesOf('', client)).toEqual([])
    expect((await release('release')).status).toBe(200)
    expect(await namesOf('', client)).toEqual(['Essen Mill'])
    expect(await namesOf('materialCode=316l', client)).toEqual(['Essen Mill'])
    expect(await namesOf(`orgId=${ruhr.orgId}`, client)).toEqual(['Essen Mill'])
    expect(await namesOf('', neighbour.administrator.client)).toEqual([])
    expect((await client.get(`/v1/factories/${mill.id}`)).status).toBe(200)
    expect((await client.get(`/v1/factories/${printer.id}`)).status).toBe(404)
    expect((await release('withdraw')).status).toBe(200)
    expect(await namesOf('', client)).toEqual([])
    expect((await client.get(`/v1/factories/${mill.id}`)).status).toBe(404)
  })

  test('a release of the distributor before has no effect', async () => {
    const moved = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
    const { client } = moved.administrator
    const release = { orgId: moved.orgId }
    await distributor.administrator.client.post(`/flows/v1/factories/${mill.id}/release`, release)
    expect(await namesOf('', client)).toEqual(['Essen Mill'])
    const engageThrough = (orgId: string | null) => market.db.owner`
      update organization.organizations
      set distributor_org_id = ${orgId}, engagement = ${orgId === null ? 'DIRECT' : 'DISTRIBUTOR'}
      where id = ${moved.orgId}`
    await engageThrough(otherDistributor.orgId)
    expect(await namesOf('', client)).toEqual([])
    expect((await client.get(`/v1/factories/${mill.id}`)).status).toBe(404)
    await engageThrough(null)
    expect(await namesOf('', client)).toEqual(ALL)
  })

  test('each view needs its permission, and another one does not do', async () => {
    const [viewer, both] = await Promise.all([
      direct.member('Viewer'),
      market.organization(['CONSUMER', 'MANUFACTURER']),
    ])
    for (const [client, view, status] of [
      [viewer.client, 'CONSUMER', 403],
      [viewer.client, 'MANUFACTURER', 403],
      [consumer, 'MANUFACTURER', 403],
      [manufacturer, 'CONSUMER', 403],
      [both.administrator.client, 'CONSUMER', 200],
      [both.administrator.client, 'MANUFACTURER', 200],
      [distributor.administrator.client, 'CONSUMER', 403],
    ] as const) {
      expect((await list('', client, view)).status).toBe(status)
    }
  })

  test('the view is required', async () => {
    expect((await consumer.get('/v1/factories')).status).toBe(400)
    expect((await list('', consumer, 'SELLER')).status).toBe(400)
  })
})

describe('rule 2: q', () => {
  test.each([
    ['PRINT', ['Bergen Print']],
    ['vestland', ['Bergen Print']],
    ['RUHR PRÄ', ['Bochum Foundry', 'Essen Mill']],
    ['e', ['Bergen Print', 'Essen Mill']],
    ['r', ALL],
    ['rgen%', []],
    ['Bergen Old Hall', []],
  ] as const)('%p is a substring, in any case, of the name or of the name of the organization', async (q, names) => {
    expect(await namesOf(`q=${encodeURIComponent(q)}`)).toEqual([...names])
  })

  test('an empty q counts as not sent', async () => {
    expect(await namesOf('q=')).toEqual(ALL)
  })
})

describe('rule 3: internal is always false in the view CONSUMER', () => {
  test('internal=true lists nothing, and internal=false lists all', async () => {
    expect(await namesOf('internal=true')).toEqual([])
    expect(await namesOf('internal=false')).toEqual(ALL)
  })

  test('in the view MANUFACTURER it is a filter', async () => {
    expect(await namesOf('internal=true', manufacturer, 'MANUFACTURER')).toEqual(['Bergen Laboratory'])
    expect(await namesOf('internal=false', manufacturer, 'MANUFACTURER')).toEqual(['Bergen Old Hall', 'Bergen Print'])
  })
})

describe('rule 4: partId', () => {
  test('a factory needs a capability in the material and one whose technology overlaps the part, not in one capability', async () => {
    const steel = await createPart({ materialId: '316l', processId: 'pbf-metal' })
    expect(await namesOf(`partId=${steel}`)).toEqual(['Bergen Print'])
    // The factory prints 316l and uses directed energy deposition for another material.
    const welded = await createPart({ materialId: '316l', processId: 'ded-metal' })
    expect(await namesOf(`partId=${welded}`)).toEqual(['Bergen Print'])
    const cast = await createPart({ materialId: '316l', processId: 'sand-casting-metal' })
    expect(await namesOf(`partId=${cast}`)).toEqual([])
  })

  test('a part without technology is matched on material alone', async () => {
    expect(await namesOf(`partId=${await createPart({ materialId: '316l' })}`)).toEqual(['Bergen Print', 'Essen Mill'])
  })

  test('a part with only a material type matches any material of that type', async () => {
    expect(await namesOf(`partId=${await createPart({ materialType: 'metal' })}`)).toEqual(ALL)
    expect(await namesOf(`partId=${await createPart({ materialType: 'wax' })}`)).toEqual([])
    const milled = await createPart({ materialType: 'metal', processId: 'milling-metal' })
    expect(await namesOf(`partId=${milled}`)).toEqual(['Essen Mill'])
  })

  test('a part with neither material nor material type matches no factory', async () => {
    const { client } = owner.administrator
    const { id } = (await client.post<{ id: string }>('/v1/parts', { processId: 'pbf-metal' })).body
    const both = await market.organization(['IP_OWNER', 'CONSUMER'])
    const own = (await both.administrator.client.post<{ id: string }>('/v1/parts', { processId: 'pbf-metal' })).body
    expect(await namesOf(`partId=${own.id}`, both.administrator.client)).toEqual([])
    expect((await list(`partId=${id}`)).status).toBe(404)
  })

  test('a part that the caller cannot read is 404, like an unknown one, in both views', async () => {
    const [draft, secret] = [
      await createPart({ materialId: '316l' }, false),
      await createPart({ materialId: '316l', internal: true }),
    ]
    for (const id of [draft, secret, 'part_unknown', 'not an id']) {
      const partId = encodeURIComponent(id)
      expect((await list(`partId=${partId}`)).body.code).toBe('not_found')
      expect((await list(`partId=${partId}`, manufacturer, 'MANUFACTURER')).status).toBe(404)
      expect((await list(`partId=${partId}&active=false&regionCode=none`)).status).toBe(404)
    }
  })
})

describe('rule 5: filters combine', () => {
  test('materialCode narrows a partId match', async () => {
    const metal = await createPart({ materialType: 'metal' })
    expect(await namesOf(`partId=${metal}&materialCode=gjs-400`)).toEqual(['Bochum Foundry'])
    expect(await namesOf(`partId=${metal}&materialCode=pa12`)).toEqual([])
  })

  test('material, standard, criticality and process type hold together in one capability', async () => {
    const together = 'materialCode=316l&standardCode=iso-astm-52901&processType=additive_manufacturing'
    expect(await namesOf(`${together}&criticalityCode=${AMSL}`)).toEqual(['Bergen Print'])
    // Each holds in a capability of its own.
    expect(await namesOf('materialCode=in718&processType=additive_manufacturing')).toEqual(['Bergen Print'])
    expect(await namesOf('materialCode=316l&standardCode=iso-9001')).toEqual([])
    expect(await namesOf(`materialCode=in718&criticalityCode=${AMSL}`)).toEqual([])
    expect(await namesOf('standardCode=iso-astm-52901&processType=cnc')).toEqual(['Essen Mill'])
  })

  test('filters on the factory and on its capabilities combine', async () => {
    expect(await namesOf(`q=e&regionCode=DE&locality=ess&orgId=${ruhr.orgId}&materialCode=316l`)).toEqual([
      'Essen Mill',
    ])
    expect(await namesOf('regionCode=NO&locality=ess')).toEqual([])
    expect(await namesOf('active=true&internal=false&processType=rapid_casting')).toEqual(['Bochum Foundry'])
  })
})

test.each([
  [`orgId=${ruhr.orgId}`, ['Bochum Foundry', 'Essen Mill']],
  [`orgId=${direct.orgId}`, []],
  ['orgId=', []],
  ['active=true', ALL],
  ['active=false', []],
  ['regionCode=DE', ['Bochum Foundry', 'Essen Mill']],
  ['regionCode=EU', ['Bochum Foundry', 'Essen Mill']],
  ['regionCode=150', ALL],
  ['regionCode=142', []],
  ['regionCode=XX', []],
  ['regionCode=de', []],
  ['locality=ES', ['Essen Mill']],
  ['locality=bo', ['Bochum Foundry']],
  ['locality=sen', []],
  ['locality=_ssen', []],
  ['locality=', ALL],
  ['materialCode=316l', ['Bergen Print', 'Essen Mill']],
  ['materialCode=316L', []],
  ['materialCode=unknown', []],
  ['standardCode=iso-9001', ['Bergen Print']],
  ['standardCode=as9100', []],
  [`criticalityCode=${AMSL}`, ['Bergen Print']],
  ['criticalityCode=nasa-6030-a', []],
  ['processType=cnc', ['Essen Mill']],
  ['processType=additive_manufacturing', ['Bergen Print']],
])('%s lists %p', async (query, names) => {
  expect(await namesOf(query)).toEqual(names)
})

test.each(['active=yes', 'internal=1', 'processType=forging', 'pageSize=51'])('%s is 400', async (query) => {
  expect((await list(query)).status).toBe(400)
})

test('active filters the own factories', async () => {
  expect(await namesOf('active=false', manufacturer, 'MANUFACTURER')).toEqual(['Bergen Old Hall'])
  expect(await namesOf(`orgId=${ruhr.orgId}`, manufacturer, 'MANUFACTURER')).toEqual([])
})

test('factories of the same name are ordered by id, and pages continue within them', async () => {
  const many = await market.organization(['MANUFACTURER'])
  const { client } = many.administrator
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push((await createFactory(client, { name: 'Same  Name ' })).id)
  const read: string[] = []
  for (const page of [1, 2, 3]) {
    const { items, hasMore } = (await list(`pageSize=2&page=${page}`, client, 'MANUFACTURER')).body
    expect(hasMore).toBe(page < 3)
    read.push(...items.map(({ id }) => id))
  }
  expect(read).toEqual(ids.toSorted())
  for (const id of ids) await client.post(`/flows/v1/factories/${id}/deactivate`)
})
