import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type CreatedPart, Part } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER', 'CONSUMER'])
const isPart = TypeCompiler.Compile(Part)

interface Problem {
  detail: string
  code: string
  errors?: { field: string; message: string }[]
}
type Created = { id: string; serialNumber: string }

const create = (body: unknown, client: ApiClient = owner.administrator.client, headers: Record<string, string> = {}) =>
  client.post<Created & Problem>('/v1/parts', body, headers)

async function created(body: unknown): Promise<string> {
  const answer = await create(body)
  expect(answer.status).toBe(200)
  return answer.body.id
}

const COMPLETE_INPUT = {
  title: 'Impeller, cooling water pump',
  externalRef: 'DRW-4711-B',
  description: 'Closed impeller.\nSix vanes.',
  requireSubscription: true,
  materialType: 'metal',
  materialId: '316l',
  processId: 'pbf-metal',
  materialNote: 'Low carbon',
  processNote: 'HIP afterwards',
  standardIds: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  categoryIds: ['iso-14224-pu'],
  unspscCategoryIds: ['40151503'],
  keywords: ['impeller', 'pump', 'impeller'],
  internal: false,
  rapidManufacturingMaterial: 'PA12',
  exemptionsNotes: 'None',
  documentationRequirementNotes: 'EN 10204 3.1',
  otherRequirementNotes: 'Balance to G6.3',
  descriptionManufacturer: 'Machine the bore',
  unitSystem: 'METRIC',
  boundingBox: { x: 120, y: 120.5, z: 0 },
  metadata: { pump: 'P-101A', 'Größe "1"': 'ö\\' },
}

describe('POST /v1/parts', () => {
  test('with every field of the specification is 200 with id and serial number', async () => {
    const [unit] = await arrangeUnit()
    const option = await arrangeOption()
    const answer = await create({ ...COMPLETE_INPUT, businessUnitIds: [unit], customFields: [option] })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).sort()).toEqual([
      'id',
      'serialNumber',
    ] satisfies (keyof typeof CreatedPart.static)[])
    expect(answer.body.id).toMatch(/^part_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(answer.body.serialNumber).toMatch(/^P-[0-9A-HJKMNP-TV-Z]{8}$/)
    const { body } = await owner.administrator.client.get<Part>(`/v1/parts/${answer.body.id}`)
    expect(body).toMatchObject({
      ...COMPLETE_INPUT,
      keywords: ['impeller', 'pump'],
      technologyIds: ['pbf-lb-m', 'pbf-eb-m'],
      state: 'DRAFT',
      revision: 1,
      ipOwnerOrgId: owner.orgId,
      businessUnitIds: [unit],
      customFields: [option],
    })
    expect(isPart.Check(body)).toBe(true)
  })

  test('no field is required: arrays default to [], booleans to false, and other fields are omitted', async () => {
    const id = await created({})
    const { body } = await owner.administrator.client.get<Part>(`/v1/parts/${id}`)
    expect(Object.keys(body).sort()).toEqual([
      'businessUnitIds',
      'categoryIds',
      'createdTime',
      'criticalityIds',
      'customFields',
      'id',
      'internal',
      'ipOwnerOrgId',
      'keywords',
      'metadata',
      'requireSubscription',
      'revision',
      'serialNumber',
      'standardIds',
      'state',
      'technologyIds',
      'unspscCategoryIds',
      'updatedTime',
    ])
    expect(body).toMatchObject({ keywords: [], internal: false, requireSubscription: false, metadata: {} })
    expect(isPart.Check(body)).toBe(true)
  })

  test.each([
    ['materialId', { materialId: 'unobtainium' }],
    ['materialType', { materialId: '316l', materialType: 'polymer' }],
    ['processId', { processId: 'nope' }],
    ['processId', { materialId: '316l', processId: 'pbf-polymer' }],
    ['standardIds.1', { standardIds: ['iso-9001', 'nope'] }],
    ['criticalityIds.0', { criticalityIds: ['nope'] }],
    ['categoryIds.0', { categoryIds: ['nope'] }],
    ['unspscCategoryIds.0', { unspscCategoryIds: ['99999999'] }],
    ['businessUnitIds.0', { businessUnitIds: ['bu_nope'] }],
    ['customFields.0', { customFields: [{ fieldId: 'a', optionId: 'b' }] }],
    ['title', { title: '  ' }],
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(201) }],
    ['title', { title: null }],
    ['title', { title: 'a\u001fb' }],
    ['description', { description: 'x'.repeat(10_001) }],
    ['materialType', { materialType: 'METAL' }],
    ['unitSystem', { unitSystem: 'metric' }],
    ['keywords', { keywords: Array.from({ length: 51 }, (_, n) => `k${n}`) }],
    ['keywords.0', { keywords: ['x'.repeat(65)] }],
    ['boundingBox.x', { boundingBox: { x: -1 } }],
    ['boundingBox.w', { boundingBox: { w: 1 } }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['metadata', { metadata: { ['k'.repeat(65)]: 'v' } }],
    ['metadata', { metadata: { '': 'v' } }],
    ['metadata.a', { metadata: { a: 'x'.repeat(1025) } }],
    ['standardIds', { standardIds: Array.from({ length: 101 }, () => 'iso-9001') }],
    ['customFields.0.optionId', { customFields: [{ fieldId: 'a' }] }],
    ['internal', { internal: 'true' }],
    ['serialNumber', { serialNumber: 'P-00000000' }],
  ])('a bad %s is 400 and creates nothing', async (field, body) => {
    const before = await countParts()
    const answer = await create(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
    expect(answer.body.errors?.map((error) => error.field)).toContain(field)
    expect(await countParts()).toBe(before)
  })

  test.each([
    [{ materialId: 'unobtainium' }, 'materialId: there is no material `unobtainium`; see GET /v1/materials'],
    [{ processId: 'nope' }, 'processId: there is no process `nope`; see GET /v1/processes'],
    [{ standardIds: ['iso-9001', 'nope'] }, 'standardIds.1: there is no standard `nope`; see GET /v1/standards'],
    [
      { businessUnitIds: ['bu_nope'] },
      'businessUnitIds.0: there is no business unit `bu_nope` in your organization; see GET /flows/v1/business-units',
    ],
    [
      { materialId: 'a text, not an id' },
      'materialId: there is no material `a text, not an id`; see GET /v1/materials',
    ],
    [{ materialId: '316L (1.4404)' }, 'materialId: there is no material `316L (1.4404)`; see GET /v1/materials'],
    [{ materialId: '<b>316l</b>' }, 'materialId: there is no material with this id; see GET /v1/materials'],
    [{ materialType: 'wood' }, 'materialType: must be one of metal, polymer, ceramic, composite, sand, wax, other'],
    [
      { title: ' ', keywords: [''] },
      'title: must be text of 1 to 200 characters: one line without control or bidirectional characters, not blank (and 1 more)',
    ],
  ])('%j says what is wrong', async (body, detail) => {
    expect((await create(body)).body.detail).toBe(detail)
  })

  test('lengths count characters, not UTF-16 units', async () => {
    expect((await create({ title: '🚢'.repeat(200), keywords: ['🚢'.repeat(64)] })).status).toBe(200)
    expect((await create({ title: '🚢'.repeat(201) })).status).toBe(400)
    expect((await create({ metadata: { ['🚢'.repeat(64)]: '🚢'.repeat(1024) } })).status).toBe(200)
    expect((await create({ metadata: { ['🚢'.repeat(65)]: 'v' } })).status).toBe(400)
    expect((await create({ metadata: { 'two\nlines': 'v' } })).status).toBe(400)
  })

  test('a repeated option is stored once, and an empty boundingBox is not stored', async () => {
    const option = await arrangeOption()
    const { body } = await create({ customFields: [option, option], boundingBox: {} })
    const part = (await owner.administrator.client.get<Part>(`/v1/parts/${body.id}`)).body
    expect(part.customFields).toEqual([option])
    expect(part).not.toHaveProperty('boundingBox')
  })

  test("another organization's business unit or custom field is 400, like an unknown one", async () => {
    const [unit] = await arrangeUnit()
    const option = await arrangeOption()
    const foreignClient = stranger.administrator.client
    const foreign = await create({ businessUnitIds: [unit], customFields: [option] }, foreignClient)
    expect(foreign.body.errors?.map(({ field }) => field)).toEqual(['businessUnitIds.0', 'customFields.0'])
  })

  test('without part:create, or in an organization that is not an IP owner, is 403', async () => {
    const member = await owner.member(['part:update'])
    const refused = await create({}, member.client)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const consumer = await market.organization(['CONSUMER'])
    expect((await create({}, consumer.administrator.client)).status).toBe(403)
  })

  test('writes one audit entry with its id and input, and one event; a refused one writes an audit entry', async () => {
    const member = await owner.member('IP owner')
    const answer = await create({ title: 'Audited' }, member.client)
    const entries = await market.db.owner`
      select success, error, request from organization.audit_log
      where procedure = 'part.create' and actor_id = ${member.userId}`
    const request = { partId: answer.body.id, title: 'Audited' }
    expect([...entries]).toEqual([{ success: true, error: null, request }])
    const events = await market.db.owner`
      select type, tenant_id from sourcing.outbox where subject = ${answer.body.id}`
    expect([...events]).toEqual([{ type: 'sourcing.part.created', tenant_id: owner.orgId }])
    const unauthorized = await owner.member([])
    await create({ title: 'Refused' }, unauthorized.client)
    const [refused] = await market.db.owner`
      select success, error from organization.audit_log
      where procedure = 'part.create' and actor_id = ${unauthorized.userId}`
    expect(refused).toMatchObject({ success: false, error: 'forbidden' })
  })
})

describe('Idempotency-Key', () => {
  const withKey = (body: unknown, key: string, client?: ApiClient) => create(body, client, { 'idempotency-key': key })

  test('the same key and body return the first response again and create one part', async () => {
    const before = await countParts()
    const [first, second] = [await withKey({ title: 'Once' }, 'k-1'), await withKey({ title: 'Once' }, 'k-1')]
    expect(second.text).toBe(first.text)
    expect(await countParts()).toBe(before + 1)
  })

  test('the same body with its keys in another order returns the first response', async () => {
    const first = await withKey({ title: 'Order', boundingBox: { x: 1, y: 2 }, metadata: { a: 'b', c: 'd' } }, 'k-6')
    const second = await withKey({ metadata: { c: 'd', a: 'b' }, boundingBox: { y: 2, x: 1.0 }, title: 'Order' }, 'k-6')
    expect([second.status, second.text]).toEqual([200, first.text])
    const otherList = await withKey({ title: 'Order', keywords: ['b', 'a'] }, 'k-7')
    expect(otherList.status).toBe(200)
    expect((await withKey({ title: 'Order', keywords: ['a', 'b'] }, 'k-7')).status).toBe(409)
  })

  test('the same key with another body is 409', async () => {
    await withKey({ title: 'One' }, 'k-2')
    const answer = await withKey({ title: 'Two' }, 'k-2')
    expect([answer.status, answer.body.code]).toEqual([409, 'idempotency_conflict'])
  })

  test('concurrent requests with one key create one part; the others get the same response or 409', async () => {
    const before = await countParts()
    const answers = await Promise.all(Array.from({ length: 16 }, () => withKey({ title: 'Concurrent' }, 'k-3')))
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id))
    expect(ids.size).toBe(1)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(await countParts()).toBe(before + 1)
  })

  test('after a failure the key can be used again', async () => {
    expect((await withKey({ materialId: 'nope' }, 'k-4')).status).toBe(400)
    expect((await withKey({ materialId: '316l' }, 'k-4')).status).toBe(200)
  })

  test('two users can use the same key', async () => {
    const first = await withKey({ title: 'Mine' }, 'k-5')
    const other = await withKey({ title: 'Mine' }, 'k-5', stranger.administrator.client)
    expect(other.body.id).not.toBe(first.body.id)
  })

  test('a key of 256 characters is 400', async () => {
    expect((await withKey({}, 'x'.repeat(256))).body.errors?.[0]?.field).toBe('Idempotency-Key')
  })
})

async function countParts(): Promise<number> {
  const [row] = await market.db.owner<[{ n: number }]>`select count(*)::int as n from sourcing.parts`
  return row.n
}

async function arrangeUnit(): Promise<[string]> {
  const id = `bu_${crypto.randomUUID()}`
  await market.db.owner`insert into organization.business_units (id, org_id, name, created_at)
    values (${id}, ${owner.orgId}, ${id}, now())`
  return [id]
}

async function arrangeOption(): Promise<{ fieldId: string; optionId: string }> {
  const suffix = crypto.randomUUID()
  const [fieldId, optionId] = [`field_${suffix}`, `option_${suffix}`]
  await market.db.owner`insert into organization.custom_fields (id, org_id, name, created_at)
    values (${fieldId}, ${owner.orgId}, ${suffix}, now())`
  await market.db.owner`insert into organization.custom_field_options (id, org_id, field_id, name, position)
    values (${optionId}, ${owner.orgId}, ${fieldId}, 'one', 0)`
  return { fieldId, optionId }
}
