import { describe, expect, test } from 'bun:test'
import type { Permission } from '../../../proto/permissions.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { packageParties, packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import type { Page } from '../../testing/people.ts'
import { inHours, publishedPart, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await packageParties(market)
const { consumer, ipOwner, maker, rival, stranger, partIds, packages, rfqs, draft, open, rivals } = parties

const statesOf = async (id: string) => (await packages.read(id)).body.lines.map(({ state }) => state)
const historyOf = async (rfqId: string) =>
  (await consumer.administrator.client.get<Page<{ kind: string }>>(`/v1/rfqs/${rfqId}/history?pageSize=50`)).body.items
    .length
const eventsOf = async (rfqId: string): Promise<string[]> => {
  const rows = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${rfqId} and type like 'sourcing.rfq.%' order by seq`
  return rows.map(({ type }) => type.slice('sourcing.rfq.'.length))
}

describe('publish', () => {
  test('opens every draft, invites its manufacturers, and leaves history, event and case for each RFQ', async () => {
    const { id } = await draft()
    const published = await packages.act(id, 'publish')
    expect(published.status).toBe(200)
    expect(published.body.lines.map(({ state, version }) => [state, version])).toEqual([
      ['OPEN', 1],
      ['OPEN', 1],
      ['OPEN', 1],
    ])
    for (const [index, rfqId] of rfqIdsOf(published.body).entries()) {
      const invited = index === 2 ? [maker.orgId] : [maker.orgId, rival.orgId]
      const invitations = await consumer.administrator.client.get<Page<{ manufacturerOrgId: string }>>(
        `/flows/v1/rfqs/${rfqId}/invitations`,
      )
      const orgIds = invitations.body.items.map(({ manufacturerOrgId }) => manufacturerOrgId)
      expect(orgIds.toSorted()).toEqual(invited.toSorted())
      expect(await eventsOf(rfqId)).toEqual(['created', 'published'])
      expect(await historyOf(rfqId)).toBe(2)
      const cases = await market.db.owner<{ org_id: string; title: string }[]>`
        select org_id, title from sourcing.cases where rfq_id = ${rfqId}`
      const serialNumber = published.body.lines[index]?.serialNumber
      expect(cases.map(({ org_id, title }) => [org_id, title]).toSorted()).toEqual(
        [consumer.orgId, ipOwner.orgId, ...invited]
          .map((orgId) => [orgId, `Request for quotation ${serialNumber}`])
          .toSorted(),
      )
      expect((await rfqs.read(rfqId)).body.partRevision).toBe(1)
    }
  })

  test('leaves lines that are OPEN as they are; without a draft it is 409', async () => {
    const { id, lines } = await draft()
    const [first = '', second = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqs.act(first, 'publish')
    const before = (await rfqs.read(first)).text
    expect((await packages.act(id, 'publish')).status).toBe(200)
    expect((await rfqs.read(first)).text).toBe(before)
    expect(await eventsOf(second)).toEqual(['created', 'published'])
    expect((await packages.act(id, 'publish')).body).toMatchObject({
      status: 409,
      code: 'illegal_transition',
      detail: 'No line of the package is DRAFT.',
    })
  })

  test('names every line that is refused, and then publishes none', async () => {
    const { id, lines } = await draft()
    const [, second = '', third = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqs.patch(second, { quantities: [] })
    await rfqs.patch(third, { manufacturerIds: [], expireTime: inHours(-1) })
    const { status, body } = await packages.act(id, 'publish')
    expect({ status, code: body.code, detail: body.detail, errors: body.errors }).toEqual({
      status: 409,
      code: 'illegal_transition',
      detail: `Nothing was changed, because of lines.1 (${second}), lines.2 (${third}).`,
      errors: [
        { field: 'lines.1.quantities', message: 'must contain a quantity' },
        { field: 'lines.2.manufacturerIds', message: 'must name a manufacturer' },
        { field: 'lines.2.expireTime', message: 'must be in the future' },
      ],
    })
    expect(await statesOf(id)).toEqual(['DRAFT', 'DRAFT', 'DRAFT'])
    expect(await eventsOf(second)).toEqual(['created', 'updated'])
  })

  test('honours If-Match with the tag of the package', async () => {
    const { id } = await draft()
    const tag = (await packages.read(id)).headers.get('etag') ?? ''
    expect((await packages.act(id, 'publish', undefined, { 'if-match': '"old"' })).status).toBe(412)
    expect((await packages.act(id, 'publish', undefined, { 'if-match': tag })).status).toBe(200)
  })
})

describe('extend', () => {
  test('extends every line that has not ended', async () => {
    const { id, lines } = await open()
    await rfqs.act(lines[0]?.rfqId ?? '', 'cancel', { reason: 'Sold.' })
    const expireTime = inHours(72)
    const extended = await packages.act(id, 'extend', { expireTime })
    expect(extended.status).toBe(200)
    expect(extended.body.lines.map((line) => line.expireTime === expireTime)).toEqual([false, true, true])
    expect(await eventsOf(lines[1]?.rfqId ?? '')).toEqual(['created', 'published', 'extended'])
  })

  test('is 409 for a line that is CLOSED, or expires later already, and changes none', async () => {
    const { id, lines } = await open()
    const [first = '', second = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqs.act(first, 'close')
    await rfqs.act(second, 'extend', { expireTime: inHours(200) })
    const { status, body } = await packages.act(id, 'extend', { expireTime: inHours(100) })
    expect({ status, errors: body.errors }).toEqual({
      status: 409,
      errors: [
        { field: 'lines.0', message: 'The RFQ is CLOSED, not OPEN.' },
        { field: 'lines.1.expireTime', message: 'must be later than the current expiry' },
      ],
    })
    expect(await eventsOf(lines[2]?.rfqId ?? '')).toEqual(['created', 'published'])
  })
})

describe('amend', () => {
  test('changes the common terms of every line that has not ended, and makes its next version', async () => {
    const { id, lines } = await open()
    const amended = await packages.act(id, 'amend', { requirements: 'X-ray.', reason: 'A new standard.' })
    expect(amended.status).toBe(200)
    expect(amended.body.lines.map(({ version }) => version)).toEqual([2, 2, 2])
    const [first = ''] = rfqIdsOf({ lines } as never)
    expect((await rfqsOf(rival.administrator.client).read(first)).body).toMatchObject({
      requirements: 'X-ray.',
      amendmentReason: 'A new standard.',
    })
    expect(await eventsOf(first)).toEqual(['created', 'published', 'amended'])
  })

  test('without a change writes nothing', async () => {
    const { id, lines } = await open({ requirements: 'X-ray.' })
    await rfqs.act(lines[1]?.rfqId ?? '', 'amend', { requirements: null, reason: 'None.' })
    const amended = await packages.act(id, 'amend', { requirements: 'X-ray.', reason: 'All alike.' })
    expect(amended.body.lines.map(({ version }) => version)).toEqual([1, 3, 1])
    expect(await eventsOf(lines[0]?.rfqId ?? '')).toEqual(['created', 'published'])
  })

  test('is 409 and names the line whose expiry would be earlier, and 400 for one that it contradicts', async () => {
    const { id, lines } = await open()
    await rfqs.act(lines[2]?.rfqId ?? '', 'extend', { expireTime: inHours(200) })
    const refused = await packages.act(id, 'amend', { expireTime: inHours(100), reason: 'Later.' })
    expect({ status: refused.status, errors: refused.body.errors }).toEqual({
      status: 409,
      errors: [{ field: 'lines.2.expireTime', message: 'must not be earlier than the current expiry' }],
    })
    const delivery = { name: 'Yard', lines: ['Quay 1'], locality: 'Bergen', regionCode: 'NO' }
    const contradicting = await packages.act(id, 'amend', { delivery, reason: 'Moved.' })
    expect({ status: contradicting.status, field: contradicting.body.errors?.[0]?.field }).toEqual({
      status: 400,
      field: 'lines.0.delivery.regionCode',
    })
    expect((await packages.read(id)).body.lines.map(({ version }) => version)).toEqual([1, 1, 1])
  })

  test('takes no quantities: they are of a line', async () => {
    const { id } = await open()
    expect((await packages.act(id, 'amend', { quantities: [1], reason: 'Less.' })).status).toBe(400)
  })
})

describe('close', () => {
  test('closes OPEN lines and skips those that are CLOSED or have ended', async () => {
    const { id, lines } = await open()
    const [first = '', second = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqs.act(first, 'close')
    await rfqs.act(second, 'cancel', { reason: 'Sold.' })
    const before = (await rfqs.read(first)).text
    const closed = await packages.act(id, 'close')
    expect({ status: closed.status, states: await statesOf(id) }).toEqual({
      status: 200,
      states: ['CLOSED', 'CANCELLED', 'CLOSED'],
    })
    expect((await rfqs.read(first)).text).toBe(before)
    expect((await packages.act(id, 'close')).body).toMatchObject({
      status: 409,
      detail: 'No line of the package is OPEN.',
    })
  })

  test('is 409 while a line is DRAFT', async () => {
    const { id, lines } = await draft()
    await rfqs.act(lines[0]?.rfqId ?? '', 'publish')
    const { status, body } = await packages.act(id, 'close')
    expect({ status, fields: body.errors?.map(({ field }) => field) }).toEqual({
      status: 409,
      fields: ['lines.1', 'lines.2'],
    })
    expect(await statesOf(id)).toEqual(['OPEN', 'DRAFT', 'DRAFT'])
  })
})

describe('cancel', () => {
  test('cancels drafts, open and closed lines with one reason; ended ones stay', async () => {
    const { id, lines } = await draft()
    const [, second = '', third = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqs.act(second, 'publish')
    await rfqs.act(third, 'publish')
    await rfqs.act(third, 'close')
    expect((await packages.act(id, 'cancel', { reason: 'The ship was sold.' })).status).toBe(200)
    expect(await statesOf(id)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    expect((await rivals.read(id)).body.lines.map(({ rfqId, state }) => [rfqId, state])).toEqual([
      [second, 'CANCELLED'],
    ])
    expect((await rfqs.read(second)).body.reason).toBe('The ship was sold.')
    expect((await packages.act(id, 'cancel', { reason: 'Again.' })).body).toMatchObject({
      status: 409,
      detail: 'Every line of the package is AWARDED or CANCELLED.',
    })
  })
})

describe('every verb', () => {
  const VERBS: [verb: string, permission: Permission, body: () => unknown][] = [
    ['publish', 'rfq:publish', () => undefined],
    ['extend', 'rfq:publish', () => ({ expireTime: inHours(99) })],
    ['amend', 'rfq:publish', () => ({ requirements: 'X-ray.', reason: 'Why.' })],
    ['close', 'rfq:publish', () => undefined],
    ['cancel', 'rfq:cancel', () => ({ reason: 'Sold.' })],
    ['award', 'rfq:award', () => ({ awards: [{ rfqId: 'rfq_x', offerId: 'offer_x', quantity: 1 }] })],
  ]

  test.each(VERBS)('%s needs %s', async (verb, permission, body) => {
    const { id } = await draft()
    const others = (['rfq:create', 'rfq:publish', 'rfq:cancel', 'rfq:award'] as const).filter(
      (one) => one !== permission,
    )
    const [without, only] = [await consumer.member([...others]), await consumer.member([permission])]
    expect((await packagesOf(without.client).act(id, verb, body())).status).toBe(403)
    expect((await packagesOf(only.client).act(id, verb, body())).status).not.toBe(403)
  })

  test.each(VERBS)("%s of another organization's package is 404, also for its makers", async (verb, _, body) => {
    const { id } = await open()
    for (const { administrator } of [stranger, maker]) {
      const others = packagesOf(administrator.client)
      expect((await others.act(id, verb, body())).status).toBe(404)
    }
    expect(await statesOf(id)).toEqual(['OPEN', 'OPEN', 'OPEN'])
  })

  test('leaves one entry in the audit log', async () => {
    const { id } = await open()
    await packages.act(id, 'cancel', { reason: 'Sold.' })
    const rows = await market.db.owner<{ procedure: string; request: object }[]>`
      select procedure, request from organization.audit_log
      where request ->> 'id' = ${id} or request ->> 'packageId' = ${id} order by timestamp, id`
    expect(rows.map(({ procedure }) => procedure)).toEqual([
      'rfqPackage.create',
      'rfqPackage.publish',
      'rfqPackage.cancel',
    ])
    expect(rows[2]?.request).toEqual({ id, reason: 'Sold.' })
  })

  test('a line may be moved by the verbs of its RFQ', async () => {
    const { id, lines } = await open()
    await rfqs.act(lines[1]?.rfqId ?? '', 'close')
    await rfqs.act(lines[1]?.rfqId ?? '', 'reopen', { expireTime: inHours(60) })
    await rfqs.act(lines[2]?.rfqId ?? '', 'invite', { manufacturerIds: [rival.orgId] })
    expect(await statesOf(id)).toEqual(['OPEN', 'OPEN', 'OPEN'])
    expect((await rivals.read(id)).body.lines.length).toBe(3)
    expect(partIds.length).toBe(3)
  })
})

describe('a package has at most 1,000 invitations', () => {
  const many = Array.from({ length: 100 }, (_, n) => `org_many${n}`)
  const eleven = Array.from({ length: 11 }, () => many)

  test('also where its drafts were changed: publish is 409, and nothing is published', async () => {
    await market.db.owner`
      insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
      select unnest(${many}::text[]), 'Many', '{MANUFACTURER}', 'NO', 'DIRECT', now()`
    const { id } = await draft({
      lines: await Promise.all(
        eleven.map(async () => ({ partId: await publishedPart(ipOwner.administrator.client), quantities: [10] })),
      ),
    })
    const lines = rfqIdsOf((await packages.read(id)).body)
    for (const [index, rfqId] of lines.entries()) await rfqs.patch(rfqId, { manufacturerIds: eleven[index] })
    const refused = await packages.act(id, 'publish')
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect(new Set(await statesOf(id))).toEqual(new Set(['DRAFT']))
    // One after the other, the last one is too many.
    for (const rfqId of lines.slice(0, 10)) expect((await rfqs.act(rfqId, 'publish')).status).toBe(200)
    const last = await rfqs.act(lines[10] ?? '', 'publish')
    expect([last.status, last.body.code]).toEqual([409, 'limit_reached'])
    expect((await rfqs.act(lines[0] ?? '', 'invite', { manufacturerIds: [maker.orgId] })).status).toBe(409)
  })
})
