import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { SOURCES } from './sources.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { owner: sql } = market.db
const { designer, buyer, owner, maker, rival, stranger, open, openForOwner, act, offer } =
  await confidentialParties(market)
const of = ({ administrator }: TestOrganization) => inboxOf(administrator.client)
const by = ({ administrator }: TestOrganization) => termsOf(administrator.client)

/** The organizations that should release files for a record. */
async function releasing(id: string): Promise<string[]> {
  const everyone = Object.entries({ designer, buyer, owner, maker, rival, stranger })
  const found = await Promise.all(
    everyone.map(async ([name, org]) => ((await of(org).kinds(id)).includes('FILES_TO_RELEASE') ? [name] : [])),
  )
  return found.flat()
}
const addFile = (partId: string, group: 'ip' | 'document') =>
  new FileClient(market, owner.administrator.client).addFile(partId, group, group, `${crypto.randomUUID()}.stl`)

describe('the files of an RFQ', () => {
  test('wait for the IP owner from an acceptance until they are released to each that accepted', async () => {
    const { id } = await openForOwner()
    expect(await releasing(id)).toEqual([])
    await by(maker).accept(id)
    expect(await releasing(id)).toEqual(['owner'])
    const [item, ...more] = await of(owner).about(id)
    const { expireTime } = (await rfqsOf(owner.administrator.client).read(id)).body
    expect([item, more]).toEqual([
      {
        kind: 'FILES_TO_RELEASE',
        record: { type: 'rfq', id },
        title: 'Impeller',
        since: expect.any(String) as unknown as string,
        due: expireTime,
      },
      [],
    ])
    await by(rival).accept(id)
    expect((await of(owner).about(id)).length).toBe(1)
    await by(owner).release(id, maker.orgId)
    expect(await releasing(id)).toEqual(['owner'])
    await by(owner).release(id, rival.orgId)
    expect(await releasing(id)).toEqual([])
    await by(owner).withdraw(id, maker.orgId)
    expect(await releasing(id)).toEqual(['owner'])
  })

  test('do not wait for a manufacturer that declined, and wait again once it is invited again', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    await rfqsOf(maker.administrator.client).act(id, 'decline')
    expect(await releasing(id)).toEqual([])
    await act(id, 'invite', { manufacturerIds: [maker.orgId] })
    expect(await releasing(id)).toEqual(['owner'])
  })

  test('wait again after an amendment to a revision with further files, not to one without', async () => {
    const { id, partId } = await openForOwner()
    await by(maker).accept(id)
    await by(owner).release(id, maker.orgId)
    await addFile(partId, 'document')
    await act(id, 'amend', { partRevision: 'CURRENT', reason: 'A document.' })
    expect(await releasing(id)).toEqual([])
    await addFile(partId, 'ip')
    expect(await releasing(id)).toEqual([])
    await act(id, 'amend', { partRevision: 'CURRENT', reason: 'A drawing.' })
    expect(await releasing(id)).toEqual(['owner'])
    await by(owner).release(id, maker.orgId)
    expect(await releasing(id)).toEqual([])
  })

  test('wait while the RFQ is CLOSED, for 30 days, and not after its end', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    await act(id, 'close')
    expect(await releasing(id)).toEqual(['owner'])
    expect((await of(owner).about(id))[0]?.due).toBeUndefined()
    await sql`update sourcing.rfqs set state_since = now() - interval '30 days' where id = ${id}`
    expect(await releasing(id)).toEqual([])
    await act(id, 'reopen', { expireTime: inHours(48) })
    expect(await releasing(id)).toEqual(['owner'])
    await act(id, 'cancel', { reason: 'Sold.' })
    expect(await releasing(id)).toEqual([])
    const left = await sql`select from sourcing.awaited_releases where rfq_id = ${id}`
    expect(left.length).toBe(0)
  })

  test('that the publication released do not wait, and those of a designer that did not release do', async () => {
    const [releases, keeps] = [await open({ releaseFiles: true }), await open()]
    for (const id of [releases, keeps]) await by(maker).accept(id)
    expect([await releasing(releases), await releasing(keeps)]).toEqual([[], ['designer']])
  })

  test('do not wait for an IP owner that is invited itself, from its invitation on', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    expect(await releasing(id)).toEqual(['owner'])
    await act(id, 'invite', { manufacturerIds: [owner.orgId] })
    expect(await releasing(id)).toEqual([])
    await by(rival).accept(id)
    expect(await releasing(id)).toEqual([])
  })

  test('are shown only with part:update', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    const [without, updater] = [await owner.member(['part:publish', 'file:write']), await owner.member(['part:update'])]
    expect(await inboxOf(without.client).kinds(id)).toEqual([])
    expect(await inboxOf(updater.client).kinds(id)).toEqual(['FILES_TO_RELEASE'])
  })
})

test('an RFQ for a part without files of the group ip has none to release', async () => {
  const partId = await publishedPart(designer.administrator.client, { internal: true })
  const rfqs = rfqsOf(designer.administrator.client)
  const { id } = (
    await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId], confidentialityTerms: 'Secret.' }))
  ).body
  expect((await rfqs.act(id, 'publish')).status).toBe(200)
  expect((await by(maker).accept(id)).status).toBe(200)
  expect(await releasing(id)).toEqual([])
})

describe('the files of an order', () => {
  const trade = () => offerParties(market)

  test('wait for the IP owner until it releases them, or the order ends', async () => {
    const { consumer, ipOwner, maker: winner, partId, open: publish, submittedOffer } = await trade()
    const files = new FileClient(market, ipOwner.administrator.client)
    await files.addFile(partId, 'drawing', 'ip', 'drawing.stl')
    const ordered = async () => {
      const rfqId = await publish({ manufacturerIds: [winner.orgId] })
      const offerId = await submittedOffer({}, rfqId)
      await awardsOf(consumer.administrator.client).accept(offerId, { quantity: 10 })
      const [order] = await sql<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
      return order?.id as string
    }
    const [id, declined] = [await ordered(), await ordered()]
    expect(await of(ipOwner).about(id)).toMatchObject([
      { kind: 'FILES_TO_RELEASE', record: { type: 'order', id }, title: 'Impeller' },
    ])
    for (const org of [consumer, winner, stranger]) expect(await of(org).kinds(id)).not.toContain('FILES_TO_RELEASE')
    await ordersOf(winner.administrator.client).act(id, 'confirm')
    expect(await of(ipOwner).kinds(id)).toEqual(['FILES_TO_RELEASE'])
    await ordersOf(ipOwner.administrator.client).act(id, 'release-files')
    expect(await of(ipOwner).kinds(id)).toEqual([])
    await ordersOf(winner.administrator.client).act(declined, 'decline', { reason: 'Full.' })
    expect(await of(ipOwner).kinds(declined)).toEqual([])
  })

  test('without such files, and of a consumer that is the IP owner, do not wait', async () => {
    const { consumer, ipOwner, maker: winner, open: publish, submittedOffer } = await trade()
    const rfqId = await publish({ manufacturerIds: [winner.orgId] })
    await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), { quantity: 10 })
    const [order] = await sql<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
    expect(await of(ipOwner).kinds(order?.id as string)).toEqual([])

    const own = await open()
    await by(maker).accept(own)
    await awardsOf(designer.administrator.client).accept(await offer(own, maker), { quantity: 10 })
    const [placed] = await sql<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${own}`
    expect(await releasing(placed?.id as string)).toEqual([])
    await sql`update sourcing.orders set files_released_at = null where id = ${placed?.id as string}`
    expect(await releasing(placed?.id as string)).toEqual([])
  })
})

test('the daily mail counts the items of every view', async () => {
  const [{ definition }] = await sql<[{ definition: string }]>`
    select pg_get_viewdef('sourcing.waiting_items'::regclass) as definition`
  const counted = [...definition.matchAll(/sourcing\.(inbox_\w+)/g)].map(([, view]) => view)
  expect(new Set(counted)).toEqual(new Set(SOURCES.map(({ view }) => view)))
})
