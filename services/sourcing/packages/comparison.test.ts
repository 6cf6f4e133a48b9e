import { describe, expect, test } from 'bun:test'
import type { RfqPackage } from '../../../proto/http/sourcing/rfq-packages.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { euros, offersOf } from '../../testing/offers.ts'
import { lineOffer, packageParties, packagesOf, rfqIdsOf } from '../../testing/packages.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await packageParties(market)
const { consumer, maker, rival, ipOwner, stranger, factoryId, rivalFactoryId } = parties
const { packages, rfqs, partIds, open, makers, rivals } = parties

/** Two lines for both manufacturers, and offers: of the maker 10 and 30 in 20 days, of the rival 12 and 20 in 5. */
const twoLines = () => open({ lines: partIds.slice(0, 2).map((partId) => ({ partId, quantities: [10, 100] })) })
async function offered(): Promise<{ pkg: RfqPackage; ids: string[]; own: string[]; others: string[] }> {
  const pkg = await twoLines()
  const ids = rfqIdsOf(pkg)
  const [first = '', second = ''] = ids
  const own = await makers.offer(pkg.id, {
    lines: [
      lineOffer(first, factoryId, '10', 20, { toolingCost: euros('100.5') }),
      lineOffer(second, factoryId, '30', 20),
    ],
    submit: true,
  })
  const others = await rivals.offer(pkg.id, {
    lines: [
      lineOffer(first, rivalFactoryId, '12', 5),
      lineOffer(second, rivalFactoryId, '20', 9, { shippingCost: euros('0.5') }),
    ],
    submit: true,
  })
  return { pkg, ids, own: own.body.items.map(({ id }) => id), others: others.body.items.map(({ id }) => id) }
}

describe('GET /flows/v1/rfq-packages/{id}/comparison', () => {
  test('an offer without tooling is cheaper neither for its line nor as one maker than one that states it', async () => {
    const pkg = await open({ lines: [{ partId: partIds[0] ?? '', quantities: [10] }] })
    const [rfqId = ''] = rfqIdsOf(pkg)
    const told = await makers.offer(pkg.id, {
      lines: [lineOffer(rfqId, factoryId, '10', 20, { toolingCost: euros('100') })],
      submit: true,
    })
    const untold = await rivals.offer(pkg.id, { lines: [lineOffer(rfqId, rivalFactoryId, '11', 5)], submit: true })
    const { lines, choices } = (await packages.compare(pkg.id)).body
    expect(lines[0]?.offers.find(({ manufacturerOrgId }) => manufacturerOrgId === rival.orgId)).not.toHaveProperty(
      'toolingCost',
    )
    const [cheapest, ofOne, fastest] = choices.map(({ awards }) => awards[0]?.offerId)
    expect([cheapest, ofOne, fastest]).toEqual([
      told.body.items[0]?.id,
      told.body.items[0]?.id,
      untold.body.items[0]?.id,
    ])
  })

  test('has the price of each manufacturer for each line at its largest quantity, coverage, and three choices', async () => {
    const { pkg, ids, own, others } = await offered()
    const { status, body } = await packages.compare(pkg.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ packageId: pkg.id, currency: 'EUR', isSealed: false })
    const byMaker = new Map(body.makers.map((one) => [one.manufacturerOrgId, one]))
    expect(byMaker.get(maker.orgId)).toMatchObject({ askedLines: 2, offeredLines: 2, total: euros('4100.50') })
    expect(byMaker.get(rival.orgId)).toMatchObject({ askedLines: 2, offeredLines: 2, total: euros('3200.50') })
    expect(body.lines.map(({ rfqId, quantity }) => [rfqId, quantity])).toEqual(ids.map((id) => [id, 100]))
    const cells = body.lines.map(({ offers }) =>
      Object.fromEntries(
        offers.map(({ manufacturerOrgId, landedTotal, leadTimeDays }) => [
          manufacturerOrgId,
          [landedTotal?.amount, leadTimeDays],
        ]),
      ),
    )
    expect(cells).toEqual([
      { [maker.orgId]: ['1100.50', 20], [rival.orgId]: ['1200.00', 5] },
      { [maker.orgId]: ['3000.00', 20], [rival.orgId]: ['2000.50', 9] },
    ])
    const [first = '', second = ''] = ids
    const award = (rfqId: string, offerId = '') => ({ rfqId, offerId, quantity: 100 })
    expect(
      body.choices.map(({ kind, awards, total, leadTimeDays, missingLines }) => ({
        ...{ kind, awards, total, leadTimeDays, missingLines },
      })),
    ).toEqual([
      {
        kind: 'CHEAPEST',
        awards: [award(first, own[0]), award(second, others[1])],
        total: euros('3101.00'),
        leadTimeDays: 20,
        missingLines: 0,
      },
      {
        kind: 'ONE_MAKER',
        awards: [award(first, others[0]), award(second, others[1])],
        total: euros('3200.50'),
        leadTimeDays: 9,
        missingLines: 0,
      },
      {
        kind: 'FASTEST',
        awards: [award(first, others[0]), award(second, others[1])],
        total: euros('3200.50'),
        leadTimeDays: 9,
        missingLines: 0,
      },
    ])
  })

  test('compares at the quantities of the query', async () => {
    const { pkg, ids, own, others } = await offered()
    const { body } = await packages.compare(pkg.id, `?quantities=${ids[0]}:1,${ids[1]}:2`)
    expect(body.lines.map(({ quantity }) => quantity)).toEqual([1, 2])
    expect(body.choices[0]).toMatchObject({
      kind: 'CHEAPEST',
      awards: [
        // The other offer of 12 does not state its tooling.
        { rfqId: ids[0], offerId: own[0], quantity: 1 },
        { rfqId: ids[1], offerId: others[1], quantity: 2 },
      ],
      total: euros('151.00'),
    })
  })

  test('a foreign or unknown RFQ in the query is 400, and so is one that is named twice', async () => {
    const [{ pkg, ids }, other] = [await offered(), await open()]
    for (const pairs of [
      `rfq_unknown:1`,
      `${other.lines[0]?.rfqId}:1`,
      `${ids[0]}:1,${ids[0]}:2`,
      `${ids[0]}:0`,
      'x',
    ]) {
      const { status, body } = await packages.compare(pkg.id, `?quantities=${pairs}`)
      expect([pairs, status, body.errors?.map(({ field }) => field)]).toEqual([pairs, 400, ['quantities']])
    }
  })

  test('an outdated, withdrawn or expired offer, and one without a price for the quantity, are not chosen', async () => {
    const { pkg, ids, own } = await offered()
    const [first = '', second = ''] = ids
    await offersOf(maker.administrator.client).act(own[0] ?? '', 'withdraw')
    await rfqs.act(second, 'amend', { requirements: 'X-ray.', reason: 'New.' })
    const { body } = await packages.compare(pkg.id)
    expect(
      body.choices.map(({ kind, awards, missingLines }) => [kind, awards.map(({ rfqId }) => rfqId), missingLines]),
    ).toEqual([
      ['CHEAPEST', [first], 1],
      ['FASTEST', [first], 1],
    ])
    expect(
      body.makers.map(({ manufacturerOrgId, offeredLines }) => [manufacturerOrgId, offeredLines]).toSorted(),
    ).toEqual(
      [
        [maker.orgId, 0],
        [rival.orgId, 1],
      ].toSorted(),
    )
    expect(body.lines[1]?.offers.map(({ isOutdated }) => isOutdated)).toEqual([true, true])

    const breaks = { priceBreaks: [{ minQuantity: 50, unitPrice: euros('1'), leadTimeDays: 1 }] }
    await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '1', 1, breaks)], submit: true })
    const small = (await packages.compare(pkg.id, `?quantities=${first}:10`)).body
    expect(small.lines[0]?.offers.find(({ manufacturerOrgId }) => manufacturerOrgId === maker.orgId)?.unpriced).toBe(
      'BELOW_MIN_QUANTITY',
    )
    expect(small.choices[0]?.manufacturerOrgIds).toEqual([rival.orgId])
    await market.db.owner`update sourcing.offers set valid_until = now() - interval '1 second' where rfq_id = ${first}`
    expect((await packages.compare(pkg.id)).body.choices).toEqual([])
  })

  test('ONE_MAKER is absent if no manufacturer offers every line that can be awarded', async () => {
    const pkg = await open()
    const [first = '', second = '', third = ''] = rfqIdsOf(pkg)
    await makers.offer(pkg.id, { lines: [first, third].map((id) => lineOffer(id, factoryId, '10')), submit: true })
    await rivals.offer(pkg.id, { lines: [first, second].map((id) => lineOffer(id, rivalFactoryId, '5')), submit: true })
    const kinds = async () => (await packages.compare(pkg.id)).body.choices.map(({ kind }) => kind)
    expect(await kinds()).toEqual(['CHEAPEST', 'FASTEST'])
    await rfqs.act(second, 'cancel', { reason: 'Sold.' })
    expect(await kinds()).toEqual(['CHEAPEST', 'ONE_MAKER', 'FASTEST'])
    const { makers: compared } = (await packages.compare(pkg.id)).body
    expect(compared.find(({ manufacturerOrgId }) => manufacturerOrgId === rival.orgId)).toMatchObject({
      askedLines: 1,
      offeredLines: 1,
    })
  })

  test('while a line is sealed and OPEN there are no prices, totals and choices, and the order tells nothing', async () => {
    const sealed = await open({ sealed: true })
    const [first = '', second = ''] = rfqIdsOf(sealed)
    const offer = (price: string, other: string) => ({
      lines: [lineOffer(first, factoryId, price), lineOffer(second, factoryId, other)],
      submit: true,
    })
    await makers.offer(sealed.id, offer('77.7', '1'))
    await rivals.offer(sealed.id, { lines: [lineOffer(first, rivalFactoryId, '66.6')], submit: true })
    const before = await packages.compare(sealed.id)
    expect(before.body).toMatchObject({ isSealed: true, choices: [] })
    expect(before.text).not.toMatch(/unitPrice|landedTotal|"total"|leadTimeDays|toolingCost|shippingCost|77\.7|66\.6/)
    expect(before.body.makers.map(({ offeredLines }) => offeredLines).toSorted()).toEqual([1, 2])
    await rfqs.act(first, 'close')
    const partly = await packages.compare(sealed.id)
    expect(partly.text).not.toMatch(/unitPrice|landedTotal|"total"|leadTimeDays|77\.7|66\.6/)
    const orderOf = ({ body }: typeof partly) => body.lines[0]?.offers.map(({ manufacturerOrgId }) => manufacturerOrgId)
    expect(orderOf(partly)).toEqual(orderOf(before))
    const csv = await packages.compare(sealed.id, '/export')
    expect(csv.text).not.toMatch(/77\.7|66\.6/)
    await packages.act(sealed.id, 'close')
    const after = await packages.compare(sealed.id)
    expect(after.body.isSealed).toBe(false)
    expect(after.body.choices.length).toBeGreaterThan(0)
    expect(orderOf(after)).toEqual(orderOf(before))
  })

  test('keeps the offers that were not chosen for an awarded line, without a total or a choice', async () => {
    const { pkg, ids, own, others } = await offered()
    const [first = '', second = ''] = ids
    await offersOf(maker.administrator.client).act(own[1] ?? '', 'withdraw')
    await packages.award(pkg.id, {
      awards: [
        { rfqId: first, offerId: own[0], quantity: 100 },
        { rfqId: second, offerId: others[1], quantity: 100 },
      ],
    })
    const { body } = await packages.compare(pkg.id)
    expect(body.choices).toEqual([])
    expect(
      body.lines.map(({ state, offers }) => [
        state,
        Object.fromEntries(offers.map((one) => [one.manufacturerOrgId, [one.state, one.landedTotal?.amount]])),
      ]),
    ).toEqual([
      ['AWARDED', { [maker.orgId]: ['ACCEPTED', '1100.50'], [rival.orgId]: ['REJECTED', '1200.00'] }],
      ['AWARDED', { [rival.orgId]: ['ACCEPTED', '2000.50'] }],
    ])
    const byMaker = new Map(body.makers.map((one) => [one.manufacturerOrgId, one]))
    expect(byMaker.get(maker.orgId)).toMatchObject({ askedLines: 2, offeredLines: 1 })
    expect(byMaker.get(rival.orgId)).toMatchObject({ askedLines: 2, offeredLines: 2 })
    expect(body.makers.map(({ total }) => total)).toEqual([undefined, undefined])
    expect((await packages.compare(pkg.id, '/export')).text).toContain('"1200.00, not chosen",12.00,5')
  })

  test('an offer that the consumer rejected is not compared while its line can be awarded', async () => {
    const { pkg, own } = await offered()
    await offersOf(consumer.administrator.client).act(own[0] ?? '', 'reject')
    const { body } = await packages.compare(pkg.id)
    expect(body.lines[0]?.offers.map(({ manufacturerOrgId }) => manufacturerOrgId)).toEqual([rival.orgId])
  })

  test('while a line is sealed and OPEN, the offers that were not chosen for others have no prices', async () => {
    const sealed = await open({ sealed: true })
    const [first = '', second = ''] = rfqIdsOf(sealed)
    const lines = [lineOffer(first, factoryId, '77.7'), lineOffer(second, factoryId, '1')]
    const own = await makers.offer(sealed.id, { lines, submit: true })
    await rivals.offer(sealed.id, { lines: [lineOffer(first, rivalFactoryId, '66.6')], submit: true })
    await rfqs.act(first, 'close')
    const offerId = own.body.items[0]?.id ?? ''
    const { status } = await packages.award(sealed.id, { awards: [{ rfqId: first, offerId, quantity: 50 }] })
    expect(status).toBe(200)
    const { body, text } = await packages.compare(sealed.id)
    expect(body.lines[0]?.offers.map(({ state, unpriced }) => [state, unpriced]).toSorted()).toEqual([
      ['ACCEPTED', 'SEALED'],
      ['REJECTED', 'SEALED'],
    ])
    expect(text).not.toMatch(/unitPrice|landedTotal|77\.7|66\.6/)
  })

  test('is for the consumer alone', async () => {
    const { pkg } = await offered()
    for (const { administrator } of [maker, ipOwner, stranger]) {
      expect((await packagesOf(administrator.client).compare(pkg.id)).status).toBe(404)
      expect((await packagesOf(administrator.client).compare(pkg.id, '/export')).status).toBe(404)
    }
  })

  test('as a file neutralises formulas in names', async () => {
    const { pkg } = await offered()
    await market.db.owner`update organization.organizations set name = '=cmd()' where id = ${maker.orgId}`
    const { text, headers } = await packages.compare(pkg.id, '/export')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text).toContain("'=cmd(): total")
    expect(text).toContain('1100.50')
  })
})
