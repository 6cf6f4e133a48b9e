import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InboxItem } from '../../../proto/http/sourcing/inbox.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { lineOffer, packageParties, rfqIdsOf } from '../../testing/packages.ts'
import { questionsOf, TO_ASKER } from '../../testing/questions.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, factoryId, ...parties } = await packageParties(market)
const { packages, rfqs, open, makers, partIds } = parties
const of = ({ administrator }: TestOrganization) => inboxOf(administrator.client)
const isItem = TypeCompiler.Compile(InboxItem)

/** The items about a package, or about an RFQ or offer of it. */
async function itemsOf(org: TestOrganization, id: string, rfqIds: readonly string[]): Promise<InboxItem[]> {
  const { items } = (await of(org).list('?pageSize=50')).body
  return items.filter(
    ({ record, parent }) => record.id === id || [record.id, parent?.id].some((one) => rfqIds.includes(one ?? '')),
  )
}

/** A package that is open, with an offer of the maker for each of these lines. */
async function offered(...places: number[]) {
  const pkg = await open()
  const ids = rfqIdsOf(pkg)
  const lines = places.map((place) => lineOffer(ids[place] ?? '', factoryId, '10'))
  const { status, body, text } = await makers.offer(pkg.id, { lines, submit: true })
  if (status !== 200) throw new Error(text)
  return { id: pkg.id, ids, offerIds: body.items.map((offer) => offer.id) }
}

describe('a package', () => {
  test('with invitations is one item for each manufacturer, with its own lines alone', async () => {
    const { id, lines } = await open({ title: 'Gearboxes' })
    const ids = lines.map(({ rfqId }) => rfqId)
    const [[item, ...more], others] = [await itemsOf(maker, id, ids), await itemsOf(rival, id, ids)]
    expect([isItem.Check(item), more]).toEqual([true, []])
    expect(item).toEqual({
      kind: 'INVITATION',
      record: { type: 'rfqPackage', id },
      title: 'Gearboxes',
      count: 3,
      since: expect.any(String),
      due: lines[0]?.expireTime,
    } as unknown as InboxItem)
    expect(others.map(({ record, count }) => [record, count])).toEqual([[{ type: 'rfqPackage', id }, 2]])
    for (const org of [consumer, ipOwner, stranger]) expect(await itemsOf(org, id, ids)).toEqual([])
  })

  test('counts the lines that still wait, and is due when the first of them expires', async () => {
    const { id, lines } = await open()
    const ids = lines.map(({ rfqId }) => rfqId)
    const [first = '', second = '', third = ''] = ids
    await packages.act(id, 'extend', { expireTime: inHours(72) })
    const { expireTime } = (await rfqs.act(second, 'extend', { expireTime: inHours(96) })).body
    await rfqsOf(maker.administrator.client).act(first, 'decline')
    const due = (await rfqs.read(third)).body.expireTime
    expect(await itemsOf(maker, id, ids)).toMatchObject([{ count: 2, due }])
    await rfqs.act(third, 'close')
    expect(await itemsOf(maker, id, ids)).toMatchObject([{ count: 1, due: expireTime }])
    await makers.offer(id, { lines: [lineOffer(second, factoryId, '10')], submit: true })
    expect(await itemsOf(maker, id, ids)).toEqual([])
  })

  test('waits since its newest line, which may be invited later', async () => {
    const { id, lines } = await open()
    const ids = lines.map(({ rfqId }) => rfqId)
    const [before] = await itemsOf(rival, id, ids)
    await rfqs.act(ids[2] ?? '', 'invite', { manufacturerIds: [rival.orgId] })
    const [after, ...more] = await itemsOf(rival, id, ids)
    expect([after?.count, more]).toEqual([3, []])
    expect((after?.since as string) > (before?.since as string)).toBe(true)
  })

  test('with offers to compare is one item of its consumer, whether its lines are OPEN or CLOSED', async () => {
    const { id, ids } = await offered(0, 1)
    const record = { type: 'rfqPackage', id }
    const now = async () =>
      (await itemsOf(consumer, id, ids)).map(({ kind, record: about, count }) => ({ kind, about, count }))
    expect(await now()).toEqual([{ kind: 'OFFERS_TO_COMPARE', about: record, count: 2 } as never])
    // A line that closed without an offer also counts.
    await rfqs.act(ids[2] ?? '', 'close')
    expect(await now()).toEqual([{ kind: 'OFFERS_TO_COMPARE', about: record, count: 3 } as never])
    await rfqs.act(ids[0] ?? '', 'close')
    const [closed] = await itemsOf(consumer, id, ids)
    expect(closed?.due).toBe((await rfqs.read(ids[1] ?? '')).body.expireTime)
    await makers.offer(id, { lines: [lineOffer(ids[1] ?? '', factoryId, '9')], submit: true })
    const [newest, ...more] = await itemsOf(consumer, id, ids)
    expect([newest?.count, more]).toEqual([3, []])
    expect((newest?.since as string) > (closed?.since as string)).toBe(true)
    await packages.act(id, 'cancel', { reason: 'Sold.' })
    expect(await itemsOf(consumer, id, ids)).toEqual([])
  })

  test('has no line to compare that is AWARDED, although an offer for it waits again', async () => {
    const { id, ids, offerIds } = await offered(0, 1)
    const award = { awards: [{ offerId: offerIds[0], quantity: 10 }] }
    expect((await rfqs.act(ids[0] ?? '', 'award', award)).status).toBe(200)
    expect(await itemsOf(consumer, id, ids)).toMatchObject([{ kind: 'OFFERS_TO_COMPARE', count: 1 }])
    const [awarded] = await itemsOf(consumer, id, ids)
    // As an offer that its manufacturer reinstates for a further order.
    await market.db.owner`
      update sourcing.offers set state = 'SUBMITTED', submitted_at = now() where id = ${offerIds[0] as string}`
    expect(await itemsOf(consumer, id, ids)).toEqual([awarded as InboxItem])
    await rfqs.act(ids[1] ?? '', 'cancel', { reason: 'Sold.' })
    expect(await itemsOf(consumer, id, ids)).toEqual([])
  })

  test('whose lines are sealed and OPEN has nothing to compare', async () => {
    const pkg = await open({ sealed: true })
    const ids = rfqIdsOf(pkg)
    await makers.offer(pkg.id, { lines: ids.map((rfqId) => lineOffer(rfqId, factoryId, '10')), submit: true })
    expect(await itemsOf(consumer, pkg.id, ids)).toEqual([])
    await rfqs.act(ids[0] ?? '', 'close')
    expect(await itemsOf(consumer, pkg.id, ids)).toMatchObject([{ kind: 'OFFERS_TO_COMPARE', count: 1 }])
  })

  test('with outdated offers is one item of their manufacturer, until each is reconfirmed', async () => {
    const { id, ids, offerIds } = await offered(0, 1)
    await packages.act(id, 'amend', { requirements: 'Deburred.', reason: 'Edges.' })
    const outdated = async () => (await itemsOf(maker, id, ids)).filter(({ kind }) => kind === 'OUTDATED_OFFER')
    const [item, ...more] = await outdated()
    expect([item?.record, item?.parent, item?.title, item?.count, more]).toEqual([
      { type: 'rfqPackage', id },
      undefined,
      'Pump overhaul',
      2,
      [],
    ])
    expect((await itemsOf(rival, id, ids)).map(({ kind }) => kind)).toEqual(['INVITATION'])
    const own = offersOf(maker.administrator.client)
    await own.act(offerIds[0] ?? '', 'reconfirm')
    expect(await outdated()).toMatchObject([{ count: 1 }])
    await own.act(offerIds[1] ?? '', 'reconfirm')
    expect(await outdated()).toEqual([])
  })

  test('with questions is one item of its consumer, and RFQs for the IP owner, which reads no package', async () => {
    const { id, lines } = await open()
    const ids = lines.map(({ rfqId }) => rfqId)
    const ask = questionsOf(maker.administrator.client)
    const questions = [(await ask.ask(ids[0] ?? '')).body.id, (await ask.ask(ids[1] ?? '')).body.id]
    expect(await itemsOf(consumer, id, ids)).toMatchObject([
      { kind: 'QUESTION', record: { type: 'rfqPackage', id }, title: 'Pump overhaul', count: 2 },
    ])
    const owned = await itemsOf(ipOwner, id, ids)
    expect(owned.map(({ record, count }) => [record.type, count])).toEqual([
      ['rfq', undefined],
      ['rfq', undefined],
    ])
    expect(JSON.stringify(owned)).not.toContain('Pump overhaul')
    await questionsOf(consumer.administrator.client).answer(ids[1] ?? '', questions[1] ?? '', TO_ASKER)
    expect(await itemsOf(consumer, id, ids)).toMatchObject([{ kind: 'QUESTION', count: 1 }])
  })

  test('with changed parts is one item of its consumer', async () => {
    const { id, lines } = await open()
    const ids = lines.map(({ rfqId }) => rfqId)
    for (const partId of partIds.slice(0, 2)) {
      await ipOwner.administrator.client.send('PATCH', `/flows/v1/parts/${partId}`, {
        body: { keywords: ['changed'] },
      })
    }
    await until(async () => {
      const [item] = await itemsOf(consumer, id, ids)
      return item?.kind === 'PART_CHANGED' && item.count === 2
    })
    expect((await itemsOf(consumer, id, ids)).length).toBe(1)
  })
})

describe('the list', () => {
  test('has each package once on its pages, among other records', async () => {
    const org = await market.organization(['MANUFACTURER', 'CONSUMER'])
    const expected: string[] = []
    for (let n = 0; n < 3; n++) {
      expected.unshift((await open({ manufacturerIds: [org.orgId] })).id)
      const part = await publishedPart(ipOwner.administrator.client)
      const { id } = (await rfqs.create(rfqBody(part, { manufacturerIds: [org.orgId] }))).body
      await rfqs.act(id, 'publish')
      expected.unshift(id)
    }
    const seen: string[] = []
    for (let page = 1; page <= 3; page++) {
      const { body } = await of(org).list(`?page=${page}&pageSize=2`)
      seen.push(...body.items.map(({ record }) => record.id))
      expect(body.hasMore).toBe(page < 3)
    }
    expect(seen).toEqual(expected)
    expect((await of(org).list('?page=2&pageSize=4')).body.items.map(({ record }) => record.id)).toEqual(
      expected.slice(4),
    )
  })

  test('shows a package only with the permission to act', async () => {
    const { id, ids } = await offered(0)
    const { client } = await consumer.member(['rfq:create'])
    expect((await inboxOf(client).list('?pageSize=50')).body.items.filter(({ record }) => record.id === id)).toEqual([])
    const { client: buyer } = await consumer.member(['rfq:award'])
    const kinds = (await inboxOf(buyer).about(id)).map(({ kind }) => kind)
    expect([kinds, ids.length]).toEqual([['OFFERS_TO_COMPARE'], 3])
  })
})
