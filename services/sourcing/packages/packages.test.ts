import { describe, expect, test } from 'bun:test'
import { casesOf } from '../../testing/cases.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { packageParties, packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import { inHours, publishedPart, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await packageParties(market)
const { consumer, ipOwner, maker, rival, stranger, partIds, packages, rfqs, body, draft, open, makers, rivals } =
  parties
const strangers = packagesOf(stranger.administrator.client)

const UNKNOWN = 'package_00000000000000000000000000'

describe('POST /flows/v1/rfq-packages', () => {
  test('makes a draft RFQ for each line, in its order, with the common terms and its own or the common manufacturers', async () => {
    const created = await packages.create(
      body({ incoterm: 'DAP', requirements: 'First article inspection.', sealed: true, paymentTerms: '30 days net' }),
    )
    expect(created.status).toBe(201)
    const { id, lines, ...head } = created.body
    expect(id).toMatch(/^package_/)
    expect(head).toMatchObject({ title: 'Pump overhaul', consumerOrgId: consumer.orgId, currency: 'EUR' })
    expect(
      lines.map(({ partId, partTitle, state, quantities, manufacturerIds }) => ({
        partId,
        partTitle,
        state,
        quantities,
        manufacturerIds,
      })),
    ).toEqual([
      {
        partId: partIds[0] as string,
        partTitle: 'Impeller',
        state: 'DRAFT',
        quantities: [10, 50],
        manufacturerIds: [maker.orgId, rival.orgId],
      },
      {
        partId: partIds[1] as string,
        partTitle: 'Hub',
        state: 'DRAFT',
        quantities: [10, 50],
        manufacturerIds: [maker.orgId, rival.orgId],
      },
      {
        partId: partIds[2] as string,
        partTitle: 'Shaft',
        state: 'DRAFT',
        quantities: [10, 50],
        manufacturerIds: [maker.orgId],
      },
    ])
    const rfq = (await rfqs.read(lines[2]?.rfqId ?? '')).body
    expect(rfq).toMatchObject({
      packageId: id,
      incoterm: 'DAP',
      requirements: 'First article inspection.',
      sealed: true,
      paymentTerms: '30 days net',
      currency: 'EUR',
      deliveryRegionCode: 'DK',
    })
    expect((await packages.read(id)).body).toEqual(created.body)
  })

  test('the id of a line does not follow from those of others, nor do those of the cases of a manufacturer', async () => {
    const lines = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => ({
        partId: await publishedPart(ipOwner.administrator.client, { title: `Part ${n}` }),
        quantities: [10],
        // The rival is asked for every other line.
        manufacturerIds: n % 2 === 0 ? [maker.orgId, rival.orgId] : [maker.orgId],
      })),
    )
    const { id, lines: all } = await open({ lines })
    expect(all.map(({ partId }) => partId)).toEqual(lines.map(({ partId }) => partId))
    const own = (await rivals.read(id)).body.lines
    expect(own.map(({ partTitle }) => partTitle)).toEqual(['Part 0', 'Part 2', 'Part 4', 'Part 6'])
    const cases = (await casesOf(rival.administrator.client).list('?pageSize=50')).body.items
    const caseIds = cases.flatMap(({ id: caseId, rfqId }) => (own.some((line) => line.rfqId === rfqId) ? [caseId] : []))
    for (const ids of [all.map(({ rfqId }) => rfqId), caseIds]) {
      // The random part of a ULID has 16 characters; a counter changes only the last ones.
      const [heads, times] = [ids.map((one) => one.slice(-16, -8)), ids.map((one) => one.slice(0, -16))]
      expect([new Set(heads).size, new Set(times).size]).toEqual([ids.length, 1])
    }
    expect(caseIds.length).toBe(4)
  })

  test.each([
    [
      'a part that the consumer cannot source',
      () => body({ lines: [{ partId: partIds[0] }, { partId: 'part_unknown' }] }),
      ['lines.1.partId'],
    ],
    [
      'a manufacturer of a line that is none',
      () => body({ lines: [{ partId: partIds[0] }, { partId: partIds[1], manufacturerIds: [consumer.orgId] }] }),
      ['lines.1.manufacturerIds.0'],
    ],
    [
      'a common manufacturer that is none',
      () => body({ manufacturerIds: [maker.orgId, ipOwner.orgId] }),
      ['manufacturerIds.1'],
    ],
    [
      'a delivery to another country',
      () => body({ delivery: { name: 'Yard', lines: ['Quay 1'], locality: 'Bergen', regionCode: 'NO' } }),
      ['delivery.regionCode'],
    ],
    ['a country that is none', () => body({ deliveryRegionCode: 'XX' }), ['deliveryRegionCode']],
    ['a quantity of zero', () => body({ lines: [{ partId: partIds[0], quantities: [0] }] }), ['lines.0.quantities.0']],
    ['no line', () => body({ lines: [] }), ['lines']],
    [
      'a part that is named twice',
      () => body({ lines: [{ partId: partIds[0] }, { partId: partIds[1] }, { partId: partIds[0], quantities: [5] }] }),
      ['lines.2.partId'],
    ],
    [
      'a hundred and one lines',
      () => body({ lines: Array.from({ length: 101 }, () => ({ partId: partIds[0] })) }),
      ['lines'],
    ],
  ])('%s is 400 and names the field', async (_, input, fields) => {
    const { status, body: refused } = await packages.create(input())
    expect({ status, fields: refused.errors?.map(({ field }) => field) }).toEqual({ status: 400, fields })
  })

  test('more than 1,000 invitations together are 400', async () => {
    const many = Array.from({ length: 11 }, (_, n) => `org_${n}`)
    const lines = Array.from({ length: 91 }, (_, n) => ({ partId: `part_${n}` }))
    const { status, body: refused } = await packages.create(body({ lines, manufacturerIds: many }))
    expect({ status, errors: refused.errors }).toEqual({
      status: 400,
      errors: [{ field: 'lines', message: 'must have at most 1000 invitations together, not 1001' }],
    })
  })

  test('a part that requires a subscription is 409, and nothing is created', async () => {
    const partId = await publishedPart(ipOwner.administrator.client, { requireSubscription: true })
    const before = (await packages.list()).body.items.length
    const { status, body: refused } = await packages.create(body({ lines: [{ partId: partIds[0] }, { partId }] }))
    expect({ status, code: refused.code, fields: refused.errors?.map(({ field }) => field) }).toEqual({
      status: 409,
      code: 'subscription_required',
      fields: ['lines.1.partId'],
    })
    expect((await packages.list()).body.items.length).toBe(before)
  })

  test('without rfq:create is 403, and in an organization that is no consumer too', async () => {
    const viewer = await consumer.member(['rfq:publish'])
    expect((await packagesOf(viewer.client).create(body())).status).toBe(403)
    expect((await packagesOf(ipOwner.administrator.client).create(body())).status).toBe(403)
  })
})

describe('the currency of a line', () => {
  test('stays that of the package', async () => {
    const { lines } = await draft()
    const [first = ''] = rfqIdsOf({ lines } as never)
    const { status, body: refused } = await rfqs.patch(first, { currency: 'NOK' })
    expect({ status, errors: refused.errors }).toEqual({
      status: 400,
      errors: [{ field: 'currency', message: 'must be EUR, the currency of the package' }],
    })
    expect((await rfqs.patch(first, { quantities: [7], currency: 'EUR' })).status).toBe(200)
  })
})

describe('a package as a manufacturer reads it', () => {
  test('is not found before a line to which it is invited is published', async () => {
    const { id, lines } = await draft()
    const unknown = await rivals.read(UNKNOWN)
    expect(await comparable(rivals.read(id))).toEqual(comparableOf(unknown))
    await rfqs.act(lines[2]?.rfqId ?? '', 'publish')
    expect(await comparable(rivals.read(id))).toEqual(comparableOf(unknown))
    expect((await rivals.list('?view=MANUFACTURER&pageSize=50')).body.items.map((one) => one.id)).not.toContain(id)
    expect((await makers.read(id)).body.lines.map(({ rfqId }) => rfqId)).toEqual([lines[2]?.rfqId ?? ''])
  })

  test('has its own lines alone, without other manufacturers, and never the number of the others', async () => {
    const { id, lines } = await open()
    const read = await rivals.read(id)
    expect(read.status).toBe(200)
    expect(read.body.lines).toEqual(
      lines.slice(0, 2).map(({ rfqId, serialNumber, partId, partTitle, expireTime }) => ({
        ...{ rfqId, serialNumber, state: 'OPEN', partId, partTitle: partTitle as string, quantities: [10, 50] },
        ...{ manufacturerIds: [rival.orgId], expireTime, sealed: false, version: 1, invitationState: 'INVITED' },
      })),
    )
    expect(read.text).not.toContain(maker.orgId)
    expect(read.text).not.toContain(lines[2]?.rfqId ?? '')
    const { items } = (await rivals.list('?view=MANUFACTURER')).body
    expect(items[0]).toMatchObject({ id, lineCount: 2, lineStates: { OPEN: 2 } })
    expect(items[0]).not.toHaveProperty('lines')
  })

  test('does not change when another line does', async () => {
    const { id, lines } = await open()
    const before = await rivals.read(id)
    await rfqs.act(lines[2]?.rfqId ?? '', 'extend', { expireTime: inHours(99) })
    await rfqs.act(lines[2]?.rfqId ?? '', 'cancel', { reason: 'Sold.' })
    const after = await rivals.read(id)
    expect(after.text).toBe(before.text)
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
  })

  test('after its decline has the terms of before', async () => {
    const { id, lines } = await open()
    const [first = ''] = lines.map(({ rfqId }) => rfqId)
    await rfqsOf(rival.administrator.client).act(first, 'decline')
    const declined = (await rivals.read(id)).body.lines[0]
    await rfqs.act(first, 'amend', { expireTime: inHours(99), quantities: [1], reason: 'Later.' })
    expect((await rivals.read(id)).body.lines[0]).toEqual(declined as never)
    expect(declined).toMatchObject({ invitationState: 'DECLINED', quantities: [10, 50] })
  })

  test('is not found for the IP owner of its parts and for a stranger', async () => {
    const { id } = await open()
    const owners = packagesOf(ipOwner.administrator.client)
    const unknown = comparableOf(await owners.read(UNKNOWN))
    expect(await comparable(owners.read(id))).toEqual(unknown)
    expect(await comparable(strangers.read(id))).toEqual(unknown)
    expect((await owners.list('?view=CONSUMER')).body.items).toEqual([])
    expect((await owners.list('?view=MANUFACTURER')).body.items).toEqual([])
  })
})

describe('PATCH and DELETE /flows/v1/rfq-packages/{id}', () => {
  test('change the title and delete the drafts, while every line is DRAFT', async () => {
    const { id, lines } = await draft()
    const patched = await packages.patch(id, { title: 'Pump overhaul, autumn' })
    expect(patched.body).toMatchObject({ id, title: 'Pump overhaul, autumn' })
    expect((await packages.patch(id, { title: 'Other' }, { 'if-match': '"old"' })).status).toBe(412)
    expect((await packages.remove(id)).status).toBe(204)
    expect((await packages.read(id)).status).toBe(404)
    expect((await rfqs.read(lines[0]?.rfqId ?? '')).status).toBe(404)
  })

  test('are 409 once a line is not DRAFT', async () => {
    const { id, lines } = await draft()
    const second = lines[1]?.rfqId ?? ''
    await rfqs.act(second, 'publish')
    const detail = `The line lines.1 (${second}) is OPEN, not DRAFT.`
    expect((await packages.patch(id, { title: 'Other' })).body).toMatchObject({ status: 409, detail })
    expect((await packages.remove(id)).body).toMatchObject({ status: 409, detail })
  })

  test("are 404 for another organization's package, also for one that is invited to it", async () => {
    const { id } = await open()
    for (const others of [strangers, makers]) {
      const unknown = comparableOf(await others.patch(UNKNOWN, { title: 'Other' }))
      expect(await comparable(others.patch(id, { title: 'Other' }))).toEqual(unknown)
      expect(await comparable(others.remove(id))).toEqual(unknown)
    }
  })

  test('a line is deleted by its RFQ', async () => {
    const { id, lines } = await draft()
    expect((await rfqs.remove(lines[0]?.rfqId ?? '')).status).toBe(204)
    expect((await packages.read(id)).body.lines.map(({ rfqId }) => rfqId)).toEqual(
      lines.slice(1).map(({ rfqId }) => rfqId),
    )
  })
})

const comparable = async (answer: ReturnType<typeof makers.read>) => comparableOf(await answer)
/** An answer without what differs between two requests. */
function comparableOf({ status, body: answer }: Awaited<ReturnType<typeof makers.read>>) {
  const { requestId, instance, ...rest } = answer as object as Record<string, unknown>
  return { ...rest, status }
}
