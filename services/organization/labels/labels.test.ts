import { describe, expect, test } from 'bun:test'
import type { BusinessUnit } from '../../../proto/http/organization/business-units.ts'
import type { CustomField } from '../../../proto/http/organization/custom-fields.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { entriesOf, eventsOf, type Page, type Problem, patch } from '../../testing/people.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const org = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const member = await org.member('IP owner')

const UNITS = '/flows/v1/business-units'
const FIELDS = '/flows/v1/custom-fields'
const name = () => crypto.randomUUID()
const newUnit = async () => (await client.post<BusinessUnit>(UNITS, { name: name() })).body
const newField = async (...options: string[]) =>
  (await client.post<CustomField>(FIELDS, { name: name(), options: options.map((option) => ({ name: option })) })).body
const remove = (path: string, by: ApiClient = client) => by.send<Problem>('DELETE', path)
const part = (body: object) => member.client.post<{ id: string } & Problem>('/v1/parts', body)

describe.each([
  ['business unit', UNITS, { name: 'Same' }, 'businessUnit'],
  ['custom field', FIELDS, { name: 'Same', options: [{ name: 'A' }] }, 'customField'],
] as const)('a %s', (_, path, body, resource) => {
  test('is created with org:admin and read by every user of the organization', async () => {
    const created = await client.post<{ id: string }>(path, { ...body, name: name() })
    expect(created.status).toBe(201)
    const { id } = created.body
    const answer = await member.client.get(`${path}/${id}`)
    expect([answer.status, answer.text]).toEqual([200, created.text])
    expect(answer.headers.get('etag')).toBeTruthy()
    expect((await stranger.administrator.client.get(`${path}/${id}`)).status).toBe(404)
    expect((await member.client.post(path, body)).status).toBe(403)
    expect((await entriesOf(market, org.orgId, `${resource}.create`)).length).toBeGreaterThan(0)
    expect(await eventsOf(market, id)).toEqual([`organization.${resource}.changed`])
  })

  test('is created once per Idempotency-Key, and a taken name is 409', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await client.post(path, body, headers), await client.post(path, body, headers)]
    expect([again.status, again.text]).toEqual([201, first.text])
    const taken = await client.post<Problem>(path, body)
    expect([taken.status, taken.body.code, taken.body.errors?.[0]?.field]).toEqual([409, 'conflict', 'name'])
    expect((await stranger.administrator.client.post(path, body)).status).toBe(201)
    const other = (await client.post<{ id: string }>(path, { ...body, name: name() })).body
    expect((await patch(client, `${path}/${other.id}`, { name: body.name })).status).toBe(409)
  })

  test('is renamed with a current If-Match; an outdated one is 412, another organization 404, a member 403', async () => {
    const { id } = (await client.post<{ id: string }>(path, { ...body, name: name() })).body
    const etag = (await client.get(`${path}/${id}`)).headers.get('etag') as string
    const to = name()
    const renamed = await patch<{ name: string }>(client, `${path}/${id}`, { name: to }, { 'if-match': etag })
    expect([renamed.status, renamed.body.name]).toEqual([200, to])
    expect((await patch(client, `${path}/${id}`, { name: name() }, { 'if-match': etag })).status).toBe(412)
    expect((await patch(stranger.administrator.client, `${path}/${id}`, { name: 'x' })).status).toBe(404)
    expect((await patch(member.client, `${path}/${id}`, { name: 'x' })).status).toBe(403)
    expect((await patch(client, `${path}/${id}`, { name: ' ' })).status).toBe(400)
  })

  test('that no part uses is deleted; another organization is 404, a member 403', async () => {
    const { id } = (await client.post<{ id: string }>(path, { ...body, name: name() })).body
    expect((await remove(`${path}/${id}`, stranger.administrator.client)).status).toBe(404)
    expect((await remove(`${path}/${id}`, member.client)).status).toBe(403)
    const deleted = await remove(`${path}/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await client.get(`${path}/${id}`)).status).toBe(404)
    expect((await remove(`${path}/${id}`)).status).toBe(404)
  })

  test('is listed by name, in its own organization only', async () => {
    const list = (by: ApiClient) => by.get<Page<{ id: string; name: string }>>(`${path}?pageSize=50`)
    const { items } = (await list(member.client)).body
    const names = items.map((item) => item.name)
    expect(names).toEqual([...names].sort())
    const theirs = new Set((await list(stranger.administrator.client)).body.items.map(({ id }) => id))
    expect(items.filter(({ id }) => theirs.has(id))).toEqual([])
    const page = (await member.client.get<Page<{ name: string }>>(`${path}?pageSize=1&page=2`)).body
    expect([page.items.map((item) => item.name), page.hasMore]).toEqual([names.slice(1, 2), true])
  })
})

test('the thousandth business unit and custom field are created, the next is 409 limit_reached', async () => {
  const fresh = await market.organization(['IP_OWNER'])
  const { orgId, administrator } = fresh
  await market.db.owner`
    insert into organization.business_units (id, org_id, name, created_at)
    select 'bu_' || n || ${orgId}::text, ${orgId}, n, now() from generate_series(1, 999) n`
  await market.db.owner`
    insert into organization.custom_fields (id, org_id, name, created_at)
    select 'field_' || n || ${orgId}::text, ${orgId}, n, now() from generate_series(1, 999) n`
  for (const path of [UNITS, FIELDS]) {
    const body = () => (path === UNITS ? { name: name() } : { name: name(), options: [{ name: 'A' }] })
    expect((await administrator.client.post<Problem>(path, body())).status).toBe(201)
    expect((await administrator.client.post<Problem>(path, body())).body.code).toBe('limit_reached')
  }
})

describe('options of a custom field', () => {
  test('keep their ids when options are renamed, reordered, added and removed', async () => {
    const { id, options } = await newField('A', 'B', 'C')
    const [a, b, c] = options.map((option) => option.id) as [string, string, string]
    const swapped = [{ name: 'New' }, { id: c, name: 'A' }, { id: a, name: 'C' }]
    const answer = await patch<CustomField>(client, `${FIELDS}/${id}`, { options: swapped })
    expect(answer.body.options.map((option) => option.name)).toEqual(['New', 'A', 'C'])
    expect(answer.body.options.slice(1).map((option) => option.id)).toEqual([c, a])
    expect(answer.body.options.map((option) => option.id)).not.toContain(b)
    expect((await client.get<CustomField>(`${FIELDS}/${id}`)).body).toEqual(answer.body as CustomField)
  })

  test('with ids of another field, unknown ids and repeated ids or names are 400', async () => {
    const [one, other] = [await newField('A'), await newField('A')]
    const [own] = one.options
    for (const options of [
      [{ id: other.options[0]?.id, name: 'X' }],
      [{ id: 'option_unknown', name: 'X' }],
      [
        { id: own?.id, name: 'X' },
        { id: own?.id, name: 'Y' },
      ],
      [{ name: 'X' }, { name: 'X' }],
      [],
    ]) {
      expect((await patch(client, `${FIELDS}/${one.id}`, { options })).status).toBe(400)
    }
    expect((await client.post(FIELDS, { name: name(), options: [{ name: 'X' }, { name: 'X' }] })).status).toBe(400)
    expect((await client.get<CustomField>(`${FIELDS}/${other.id}`)).body).toEqual(other)
  })

  test('removing an option that a part uses is 409 in_use', async () => {
    const { id, options } = await newField('Used', 'Idle')
    const [used, idle] = options
    expect((await part({ customFields: [{ fieldId: id, optionId: used?.id }] })).status).toBe(200)
    const refused = await patch(client, `${FIELDS}/${id}`, { options: [idle] })
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use'])
    expect((await remove(`${FIELDS}/${id}`)).body.code).toBe('in_use')
    expect((await patch(client, `${FIELDS}/${id}`, { options: [used] })).status).toBe(200)
  })
})

describe('a label and a part that uses it', () => {
  test('deleting a business unit that has a part is 409 in_use', async () => {
    const { id } = await newUnit()
    expect((await part({ businessUnitIds: [id] })).status).toBe(200)
    const answer = await remove(`${UNITS}/${id}`)
    expect([answer.status, answer.body.code]).toEqual([409, 'in_use'])
    expect((await entriesOf(market, org.orgId, 'businessUnit.delete')).at(-1)?.error).toBe('in_use')
  })

  test('a part with a deleted business unit is 400', async () => {
    const { id } = await newUnit()
    await remove(`${UNITS}/${id}`)
    expect((await part({ businessUnitIds: [id] })).body.errors?.[0]?.field).toBe('businessUnitIds.0')
  })

  test('of a concurrent deletion and use of a label exactly one succeeds', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 25; round++) {
      const { id } = await newUnit()
      const field = await newField('A')
      const choice = { fieldId: field.id, optionId: field.options[0]?.id }
      const [unitDeletion, partOfUnit, fieldDeletion, partOfField] = await Promise.all([
        remove(`${UNITS}/${id}`),
        part({ businessUnitIds: [id] }),
        remove(`${FIELDS}/${field.id}`),
        part({ customFields: [choice] }),
      ])
      for (const pair of [
        [unitDeletion.status, partOfUnit.status],
        [fieldDeletion.status, partOfField.status],
      ]) {
        expect(['204 400', '409 200']).toContain(pair.join(' '))
        outcomes.add(pair.join(' '))
      }
    }
    expect(outcomes.size).toBeGreaterThan(0)
  })

  test('a deletion waits for a concurrent transaction that writes a part', async () => {
    const { id } = await newUnit()
    let deleted: ReturnType<typeof remove> | undefined
    await market.db.owner.begin(async (tx) => {
      await tx`select organization.lock_labels_shared(${org.orgId})`
      deleted = remove(`${UNITS}/${id}`)
      const waiting = async () =>
        (await market.db.owner`select 1 from pg_locks where locktype = 'advisory' and not granted`).length > 0
      while (!(await waiting())) await Bun.sleep(5)
      // The part is written before the deletion proceeds, although the deletion was requested first.
      await tx`
        insert into sourcing.parts (id, serial_number, ip_owner_org_id, state, content, business_unit_ids, created_at,
          updated_at)
        values ('part_held', 'P-HELD', ${org.orgId}, 'DRAFT', '{}', array[${id}], now(), now())`
    })
    expect((await deleted)?.body.code).toBe('in_use')
  })
})
