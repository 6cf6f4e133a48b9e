import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import { inHours, publishedPart, rfqBody } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, buyer, seller, submittedOffer } = await offerParties(market)
const { client } = ipOwner.administrator
const packages = packagesOf(consumer.administrator.client)

const rename = async (partId: string, title: string) => {
  const { status, text } = await client.send('PATCH', `/flows/v1/parts/${partId}`, { body: { title } })
  if (status !== 200) throw new Error(text)
}
const amend = (id: string, more: object = {}) =>
  buyer.act(id, 'amend', { partRevision: 'CURRENT', reason: 'The hub was moved.', ...more })

/** An OPEN RFQ that pins revision 1 of a part, whose later revision has the same content. */
async function openForSamePart(): Promise<{ id: string; partId: string }> {
  const partId = await publishedPart(client, { title: 'Impeller' })
  const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId], quantities: [10, 50] }))
  expect((await buyer.act(body.id, 'publish')).body).toMatchObject({ state: 'OPEN', partRevision: 1 })
  await rename(partId, 'Rotor')
  await rename(partId, 'Impeller')
  return { id: body.id, partId }
}

const changesOf = async (id: string) => {
  const { body } = await consumer.administrator.client.get<{ items: { changes: object[] }[] }>(`/v1/rfqs/${id}/history`)
  return body.items.map(({ changes }) => changes)
}
const eventsOf = async (id: string) => {
  const rows = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} order by seq`
  return rows.map(({ type }) => type)
}

test('an amendment to a current revision with the pinned content changes nothing, and outdates no offer', async () => {
  const { id } = await openForSamePart()
  const offerId = await submittedOffer({}, id)
  const [before, changes, events] = [await buyer.read(id), await changesOf(id), await eventsOf(id)]
  expect(before.body).toMatchObject({ version: 1, partRevision: 1 })
  const { status, text } = await amend(id)
  expect([status, text]).toEqual([200, before.text])
  expect((await buyer.read(id)).headers.get('etag')).toBe(before.headers.get('etag'))
  expect([await changesOf(id), await eventsOf(id)]).toEqual([changes, events])
  expect((await seller.read(offerId)).body).not.toHaveProperty('isOutdated')
})

test('beside other changes, a current revision with the pinned content is no change of the part', async () => {
  const { id } = await openForSamePart()
  expect((await amend(id, { quantities: [20] })).body).toMatchObject({ version: 2, partRevision: 1, quantities: [20] })
  expect((await changesOf(id))[0]).toEqual([
    { field: 'quantities', before: [10, 50], after: [20] },
    { field: 'version', before: 1, after: 2 },
    { field: 'amendmentReason', after: 'The hub was moved.' },
  ])
  const expireTime = inHours(100)
  expect((await amend(id, { expireTime })).body).toMatchObject({ version: 2, partRevision: 1, expireTime })
})

test('an RFQ whose part is again as it was pinned loses its mark by an amendment, without a version', async () => {
  for (const more of [{}, { quantities: [20] }]) {
    const { id, partId } = await openForSamePart()
    await buyer.act(id, 'close')
    await rename(partId, 'Rotor')
    expect((await buyer.act(id, 'reopen', { expireTime: inHours(100) })).body.partChanged).toBe(true)
    await rename(partId, 'Impeller')
    const { status, body } = await amend(id, more)
    expect([status, body.partChanged, body.partRevision]).toEqual([200, undefined, 1])
    expect(body.version).toBe('quantities' in more ? 2 : 1)
    expect((await buyer.read(id)).body).not.toHaveProperty('partChanged')
  }
})

test('an amendment of a package makes a new version only of the lines whose part has changed', async () => {
  const [same, changed] = [await publishedPart(client, { title: 'Impeller' }), await publishedPart(client)]
  const { partId: _, quantities, ...terms } = rfqBody(same, { manufacturerIds: [maker.orgId] })
  const lines = [same, changed].map((partId) => ({ partId, quantities }))
  const created = await packages.create({ title: 'Overhaul', ...terms, lines })
  const { body } = await packages.act(created.body.id, 'publish')
  await rename(same, 'Rotor')
  await rename(same, 'Impeller')
  await rename(changed, 'Rotor')
  const amended = await packages.act(body.id, 'amend', { partRevision: 'CURRENT', reason: 'The hub was moved.' })
  expect(amended.status).toBe(200)
  const [first = '', second = ''] = rfqIdsOf(amended.body)
  expect((await buyer.read(first)).body).toMatchObject({ version: 1, partRevision: 1 })
  expect((await buyer.read(second)).body).toMatchObject({ version: 2, partRevision: 2 })
})
