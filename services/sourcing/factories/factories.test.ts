import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory, PRINTS_STEEL } from '../../testing/factories.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const organization = await market.organization(['MANUFACTURER'], { name: 'Vestland Additive' })
const foreign = await market.organization(['MANUFACTURER'])
const { client } = organization.administrator
const isFactory = TypeCompiler.Compile(Factory)

type Problem = { code: string; detail: string; errors?: { field: string; message: string }[] }

const ADDRESS = { regionCode: 'NO', locality: 'Bergen', postalCode: '5003', lines: ['Damsgårdsveien 165', 'Hall "B"'] }
const COMPLETE = {
  name: 'Bergen, Hall "B"',
  internal: true,
  address: ADDRESS,
  capabilities: [
    {
      materialCode: '316l',
      technologyId: 'pbf-lb-m',
      standardCodes: ['iso-astm-52901', 'iso-9001'],
      criticalityIds: ['api-20s-amsl-2'],
      maxEnvelope: { x: 400, y: 400, z: 380.5 },
    },
    { materialCode: 'in718', technologyId: 'mill-5', standardCodes: [], criticalityIds: [] },
  ],
}

const create = (body: unknown, headers: Record<string, string> = {}, by: ApiClient = client) =>
  by.post<Factory & Problem>('/flows/v1/factories', body, headers)
const read = async (id: string) => (await client.get<Factory>(`/v1/factories/${id}`)).body
const patch = (id: string, body: unknown, headers: Record<string, string> = {}, by: ApiClient = client) =>
  by.send<Factory & Problem>('PATCH', `/flows/v1/factories/${id}`, { body, headers })
const post = (id: string, verb: string, body?: unknown, headers: Record<string, string> = {}, by: ApiClient = client) =>
  by.post<Factory & Problem>(`/flows/v1/factories/${id}/${verb}`, body, headers)
const fieldsOf = ({ errors = [] }: Problem) => errors.map(({ field }) => field)
const eventsOf = async (id: string) =>
  (
    await market.db.owner<{ type: string }[]>`
      select type from sourcing.outbox where subject = ${id} order by id`
  ).map(({ type }) => type)

describe('POST /flows/v1/factories', () => {
  test('with every field is 201 with the factory, whose process types are those of the technologies', async () => {
    const { status, body } = await create(COMPLETE)
    expect(status).toBe(201)
    expect(isFactory.Check(body)).toBe(true)
    const { id, ...factory } = body
    expect(factory as unknown).toEqual({
      ...COMPLETE,
      orgId: organization.orgId,
      orgName: 'Vestland Additive',
      active: true,
      capabilities: [
        { ...COMPLETE.capabilities[0], processType: 'additive_manufacturing' },
        { ...COMPLETE.capabilities[1], processType: 'cnc' },
      ],
    })
    expect(await read(id)).toEqual(body)
    expect(await eventsOf(id)).toEqual(['sourcing.factory.created'])
  })

  test('with the largest valid body is 201', async () => {
    const capabilities = Array.from({ length: 100 }, (_, n) => ({
      ...PRINTS_STEEL,
      standardCodes: Array(100).fill('iso-9001'),
      criticalityIds: Array(100).fill('api-20s-amsl-2'),
      maxEnvelope: { x: 400, y: 400, z: n },
    }))
    const lines = Array(10).fill('Hall "B"')
    const { status, body } = await create({ ...COMPLETE, address: { ...ADDRESS, lines }, capabilities })
    expect([status, body.capabilities.length]).toEqual([201, 100])
  })

  test('with only the required fields is public and has no capabilities', async () => {
    const { status, body } = await create({ name: 'Plant', address: { regionCode: 'DE', locality: 'Köln', lines: [] } })
    expect([status, body.internal, body.capabilities]).toEqual([201, false, []])
    expect(body.address).toEqual({ regionCode: 'DE', locality: 'Köln', lines: [] })
  })

  test.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: null }, 'name'],
    [{ active: true }, 'active'],
    [{ orgId: 'org_1' }, 'orgId'],
    [{ address: { ...ADDRESS, regionCode: 'no' } }, 'address.regionCode'],
    [{ address: { ...ADDRESS, regionCode: 'ZZ' } }, 'address.regionCode'],
    [{ address: { ...ADDRESS, regionCode: 'EU' } }, 'address.regionCode'],
    [{ address: { ...ADDRESS, locality: '' } }, 'address.locality'],
    [{ capabilities: [{ materialCode: '316l' }] }, 'capabilities.0.technologyId'],
    [{ capabilities: [{ ...PRINTS_STEEL, processType: 'cnc' }] }, 'capabilities.0.processType'],
    [{ capabilities: [{ ...PRINTS_STEEL, maxEnvelope: { x: -1 } }] }, 'capabilities.0.maxEnvelope.x'],
    [{ capabilities: [PRINTS_STEEL, { ...PRINTS_STEEL, materialCode: 'none' }] }, 'capabilities.1.materialCode'],
    [{ capabilities: [{ ...PRINTS_STEEL, technologyId: 'none' }] }, 'capabilities.0.technologyId'],
    [{ capabilities: [{ ...PRINTS_STEEL, standardCodes: ['iso-9001', 'none'] }] }, 'capabilities.0.standardCodes.1'],
    [{ capabilities: [{ ...PRINTS_STEEL, criticalityIds: ['none'] }] }, 'capabilities.0.criticalityIds.0'],
    [{ capabilities: Array(101).fill(PRINTS_STEEL) }, 'capabilities'],
  ])('%j is 400 and names %s', async (wrong, field) => {
    const { status, body } = await create({ ...COMPLETE, ...wrong })
    expect([status, fieldsOf(body)]).toEqual([400, [field]])
  })

  test('without a permission, and in an organization that is no manufacturer, is 403', async () => {
    const viewer = await organization.member('Viewer')
    const consumer = await market.organization(['CONSUMER'])
    expect((await create(COMPLETE, {}, viewer.client)).status).toBe(403)
    expect((await create(COMPLETE, {}, consumer.administrator.client)).status).toBe(403)
  })

  test('with the same Idempotency-Key returns the first factory, and with another body is 409', async () => {
    const headers = { 'idempotency-key': 'factory-1' }
    const first = await create(COMPLETE, headers)
    const second = await create(COMPLETE, headers)
    expect([second.status, second.body]).toEqual([201, first.body])
    expect((await create({ ...COMPLETE, name: 'Other' }, headers)).body.code).toBe('idempotency_conflict')
  })

  test('of the factory after number 1000 is 409, also if two are sent at once', async () => {
    const full = await market.organization(['MANUFACTURER'])
    await market.db.owner`
      insert into sourcing.factories
        (id, org_id, org_name, org_manufactures, name, active, internal, region_code, locality, lines, created_at, updated_at)
      select 'factory_full' || n, ${full.orgId}, 'Full', true, 'Full', true, true, 'NO', 'Bergen', '{}', now(), now()
      from generate_series(2, 1000) n`
    const both = await Promise.all([1, 2].map(() => create(COMPLETE, {}, full.administrator.client)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
  })
})

describe('PATCH /flows/v1/factories/{id}', () => {
  test('changes the fields that are sent and replaces the address completely', async () => {
    const factory = await createFactory(client, COMPLETE)
    const address = { regionCode: 'SE', locality: 'Lund', lines: [] }
    const { status, body } = await patch(factory.id, { name: 'Lund', address })
    expect([status, body as unknown]).toEqual([200, { ...factory, name: 'Lund', address }])
    expect((await patch(factory.id, { internal: false })).body.internal).toBe(false)
    expect(await eventsOf(factory.id)).toEqual([
      'sourcing.factory.created',
      'sourcing.factory.updated',
      'sourcing.factory.updated',
    ])
  })

  test('without a change returns the factory and emits no event', async () => {
    const factory = await createFactory(client, COMPLETE)
    expect((await patch(factory.id, {})).body).toEqual(factory as never)
    expect((await patch(factory.id, { name: factory.name, address: ADDRESS })).body).toEqual(factory as never)
    expect(await eventsOf(factory.id)).toEqual(['sourcing.factory.created'])
  })

  test.each([
    { name: null },
    { name: '' },
    { address: { ...ADDRESS, regionCode: 'ZZ' } },
    { capabilities: [] },
    { active: false },
  ])('%j is 400', async (body) => {
    expect((await patch((await createFactory(client)).id, body)).status).toBe(400)
  })

  test('with a stale If-Match is 412 and changes nothing', async () => {
    const { id } = await createFactory(client)
    const tag = (await client.get(`/v1/factories/${id}`)).headers.get('etag') as string
    const first = await patch(id, { name: 'First' }, { 'if-match': tag })
    expect(first.status).toBe(200)
    const second = await patch(id, { name: 'Second' }, { 'if-match': tag })
    expect([second.status, second.body.code]).toEqual([412, 'precondition_failed'])
    expect((await read(id)).name).toBe('First')
    const third = await patch(id, { name: 'Third' }, { 'if-match': first.headers.get('etag') as string })
    expect(third.status).toBe(200)
  })

  test('of a foreign or unknown factory is 404, and without the permission 403', async () => {
    const { id } = await createFactory(client)
    expect((await patch(id, { name: 'Mine' }, {}, foreign.administrator.client)).status).toBe(404)
    expect((await patch('factory_unknown', { name: 'Mine' })).status).toBe(404)
    expect((await patch(id, { name: 'Mine' }, {}, (await organization.member('Viewer')).client)).status).toBe(403)
  })
})

describe('POST /flows/v1/factories/{id}/capabilities', () => {
  test('replaces all capabilities', async () => {
    const { id } = await createFactory(client, COMPLETE)
    const { status, body } = await post(id, 'capabilities', { capabilities: [PRINTS_STEEL, PRINTS_STEEL] })
    const stored = { ...PRINTS_STEEL, standardCodes: [], criticalityIds: [], processType: 'additive_manufacturing' }
    expect([status, body.capabilities as unknown]).toEqual([200, [stored]])
    expect(await read(id)).toEqual(body)
    expect((await post(id, 'capabilities', { capabilities: [] })).body.capabilities).toEqual([])
    expect((await eventsOf(id)).slice(1)).toEqual(Array(2).fill('sourcing.factory.capabilitiesChanged'))
  })

  test('with an unknown id is 400 with its position and changes nothing', async () => {
    const factory = await createFactory(client, COMPLETE)
    const capabilities = [PRINTS_STEEL, { ...PRINTS_STEEL, technologyId: 'none' }]
    const { status, body } = await post(factory.id, 'capabilities', { capabilities })
    expect([status, fieldsOf(body)]).toEqual([400, ['capabilities.1.technologyId']])
    expect(await read(factory.id)).toEqual(factory)
  })

  test('with a stale If-Match is 412', async () => {
    const { id } = await createFactory(client)
    const tag = (await client.get(`/v1/factories/${id}`)).headers.get('etag') as string
    await patch(id, { name: 'Renamed' })
    expect((await post(id, 'capabilities', { capabilities: [] }, { 'if-match': tag })).status).toBe(412)
  })

  test('of a foreign factory is 404, also with an unknown id in the body', async () => {
    const { id } = await createFactory(client)
    const capabilities = [{ ...PRINTS_STEEL, technologyId: 'none' }]
    expect((await post(id, 'capabilities', { capabilities }, {}, foreign.administrator.client)).status).toBe(404)
  })
})

describe('POST /flows/v1/factories/{id}/deactivate and activate', () => {
  test('change whether the factory is active, and a repetition is 409', async () => {
    const { id } = await createFactory(client)
    const { status, body } = await post(id, 'activate')
    expect([status, body.code]).toEqual([409, 'illegal_transition'])
    expect((await post(id, 'deactivate')).body.active).toBe(false)
    expect((await post(id, 'deactivate')).status).toBe(409)
    expect((await post(id, 'activate')).body.active).toBe(true)
    expect((await eventsOf(id)).slice(1)).toEqual(['sourcing.factory.deactivated', 'sourcing.factory.activated'])
  })

  test('of two concurrent calls one is 200 and the other 409', async () => {
    const { id } = await createFactory(client)
    const both = await Promise.all([post(id, 'deactivate'), post(id, 'deactivate')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('of a foreign factory are 404', async () => {
    const { id } = await createFactory(client)
    for (const verb of ['activate', 'deactivate']) {
      expect((await post(id, verb, undefined, {}, foreign.administrator.client)).status).toBe(404)
    }
  })
})

test('concurrent changes of capabilities and name leave one document with the stored values', async () => {
  const { id } = await createFactory(client)
  const envelopes = [1, 2, 3, 4].map((x) => [
    { ...PRINTS_STEEL, maxEnvelope: { x } },
    { ...PRINTS_STEEL, maxEnvelope: { y: x } },
  ])
  await Promise.all([
    ...envelopes.map((capabilities) => post(id, 'capabilities', { capabilities })),
    ...['A', 'B', 'C'].map((name) => patch(id, { name })),
  ])
  const factory = await read(id)
  const rows = await market.db.owner`
    select box_x as x, box_y as y from sourcing.factory_capabilities where factory_id = ${id} order by ordinal`
  expect(rows.map(({ x, y }) => (x === null ? { y } : { x }))).toEqual(
    factory.capabilities.map(({ maxEnvelope }) => maxEnvelope as never),
  )
  expect(rows).toHaveLength(2)
})
