import { expect, setDefaultTimeout, test } from 'bun:test'
import type { RfqPackage } from '../../../proto/http/sourcing/rfq-packages.ts'
import { awardsOf } from '../../testing/awards.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { lineOffer, packageParties, rfqIdsOf } from '../../testing/packages.ts'
import { inHours, publishedPart } from '../../testing/rfqs.ts'

setDefaultTimeout(60_000)
const ROUNDS = 10
const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, factoryId, packages, rfqs, draft, open, makers } = await packageParties(market)
const own = offersOf(maker.administrator.client)
const single = awardsOf(consumer.administrator.client)
const { owner } = market.db

async function offered(): Promise<{ pkg: RfqPackage; ids: string[]; offerIds: string[] }> {
  const pkg = await open()
  const ids = rfqIdsOf(pkg)
  const { body } = await makers.offer(pkg.id, { lines: ids.map((id) => lineOffer(id, factoryId, '10')), submit: true })
  return { pkg, ids, offerIds: body.items.map(({ id }) => id) }
}

const awardsFor = (ids: readonly string[], offerIds: readonly string[]) => ({
  awards: ids.map((rfqId, index) => ({ rfqId, offerId: offerIds[index], quantity: 10 })),
})

const ordersOf = async (ids: readonly string[]) =>
  (await owner<{ rfq_id: string }[]>`select rfq_id from sourcing.orders where rfq_id = any(${[...ids]})`).map(
    ({ rfq_id }) => rfq_id,
  )
const countOf = async (rfqId: string, type: string) =>
  (await owner`select id from sourcing.outbox where subject = ${rfqId} and type = ${type}`).length

test('publish of a package against publish of a line: each RFQ is published once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pkg = await draft()
    const [first = '', second = ''] = rfqIdsOf(pkg)
    const [whole, line] = await Promise.all([packages.act(pkg.id, 'publish'), rfqs.act(second, 'publish')])
    expect([whole.status, [200, 409].includes(line.status)]).toEqual([200, true])
    for (const id of [first, second]) expect(await countOf(id, 'sourcing.rfq.published')).toBe(1)
    const invitations = await owner`select org_id from sourcing.rfq_invitations where rfq_id = ${second}`
    expect(invitations.length).toBe(2)
  }
})

test('publish against delete of a package: it is whole or gone', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pkg = await draft()
    const [published, removed] = await Promise.all([packages.act(pkg.id, 'publish'), packages.remove(pkg.id)])
    expect([
      [200, 409],
      [404, 204],
    ]).toContainEqual([published.status, removed.status])
    const lines = await owner<{ state: string }[]>`select state from sourcing.rfqs where package_id = ${pkg.id}`
    expect(lines.map(({ state }) => state)).toEqual(removed.status === 204 ? [] : ['OPEN', 'OPEN', 'OPEN'])
  }
})

test('award of a package against a withdrawal: every order is placed, or none and the offer is withdrawn', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { pkg, ids, offerIds } = await offered()
    const [awarded, withdrawn] = await Promise.all([
      packages.award(pkg.id, awardsFor(ids, offerIds)),
      own.act(offerIds[1] ?? '', 'withdraw'),
    ])
    expect([awarded.status, withdrawn.status].toSorted()).toEqual([200, 409])
    expect((await ordersOf(ids)).toSorted()).toEqual(awarded.status === 200 ? ids.toSorted() : [])
  }
})

test('award of a package against award of a line: no RFQ is awarded twice, and the package wholly or not', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { pkg, ids, offerIds } = await offered()
    const [, second = ''] = ids
    const [whole, line] = await Promise.all([
      packages.award(pkg.id, awardsFor(ids, offerIds)),
      single.award(second, { awards: [{ offerId: offerIds[1], quantity: 5 }] }),
    ])
    expect([whole.status, line.status].toSorted()).toEqual([200, 409])
    expect((await ordersOf(ids)).toSorted()).toEqual(whole.status === 200 ? ids.toSorted() : [second])
  }
})

test('two awards of a package in opposite order: one succeeds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { pkg, ids, offerIds } = await offered()
    const answers = await Promise.all([
      packages.award(pkg.id, awardsFor(ids, offerIds)),
      packages.award(pkg.id, awardsFor(ids.toReversed(), offerIds.toReversed())),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await ordersOf(ids)).toSorted()).toEqual(ids.toSorted())
  }
})

test('cancel of a package against submissions: no cancelled RFQ has a submitted offer', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pkg = await open()
    const ids = rfqIdsOf(pkg)
    const lines = ids.toReversed().map((id) => lineOffer(id, factoryId, '10'))
    const [cancelled, submitted] = await Promise.all([
      packages.act(pkg.id, 'cancel', { reason: 'Sold.' }),
      makers.offer(pkg.id, { lines, submit: true }),
    ])
    expect([cancelled.status, [200, 409].includes(submitted.status)]).toEqual([200, true])
    const rows = await owner<{ state: string }[]>`select state from sourcing.offers where rfq_id = any(${ids})`
    expect(rows.map(({ state }) => state)).toEqual(submitted.status === 200 ? ['REJECTED', 'REJECTED', 'REJECTED'] : [])
  }
})

test('verbs of packages against those of their lines, in any order, never deadlock', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { pkg, ids } = await offered()
    const answers = await Promise.all([
      packages.act(pkg.id, 'extend', { expireTime: inHours(100) }),
      packages.act(pkg.id, 'amend', { requirements: `Round ${round}.`, reason: 'New.' }),
      ...ids.toReversed().map((id) => rfqs.act(id, 'amend', { quantities: [5], reason: 'Less.' })),
      makers.offer(pkg.id, { lines: ids.toReversed().map((id) => lineOffer(id, factoryId, '9')), submit: true }),
      packages.act(pkg.id, 'close'),
      rfqs.act(ids[2] ?? '', 'close'),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
  }
})

test('two requests of a manufacturer for the same lines: each line has one live offer', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pkg = await open()
    const ids = rfqIdsOf(pkg)
    const lines = ids.map((id) => lineOffer(id, factoryId, '10'))
    const answers = await Promise.all([
      makers.offer(pkg.id, { lines, submit: true }),
      makers.offer(pkg.id, { lines: lines.toReversed(), submit: true }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const rows = await owner<{ rfq_id: string }[]>`
      select rfq_id from sourcing.offers where rfq_id = any(${ids}) and state = 'SUBMITTED' order by rfq_id`
    expect(rows.map(({ rfq_id }) => rfq_id)).toEqual(ids.toSorted())
  }
})

test('two invitations that exceed the 1,000 of a package only together: one is 409', async () => {
  const many = Array.from({ length: 110 }, (_, n) => `org_many${n}`)
  await owner`
    insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
    select unnest(${many}::text[]), 'Many', '{MANUFACTURER}', 'NO', 'DIRECT', now()`
  const partIds = await Promise.all(many.slice(0, 11).map(() => publishedPart(ipOwner.administrator.client)))
  const lines = partIds.map((partId) => ({ partId, quantities: [10] }))
  for (let round = 0; round < 3; round++) {
    const pkg = await open({ lines, manufacturerIds: many.slice(0, 90) })
    const [first = '', second = ''] = rfqIdsOf(pkg)
    const answers = await Promise.all([
      rfqs.act(first, 'invite', { manufacturerIds: many.slice(90, 100) }),
      rfqs.act(second, 'invite', { manufacturerIds: many.slice(100) }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const [invitations] = await owner<[{ count: number }]>`
      select count(*)::integer as count from sourcing.rfq_invitations where rfq_id = any(${rfqIdsOf(pkg)})`
    expect(invitations.count).toBe(1000)
  }
})
