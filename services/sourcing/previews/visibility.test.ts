import { describe, expect, test } from 'bun:test'
import type { FileGroup } from '../../../proto/http/sourcing/files.ts'
import type { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { awardsOf } from '../../testing/awards.ts'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { insertModel, measuredIn } from '../../testing/previews.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { PreviewUrls } from '../renderings/urls.ts'

/** Who may know the box and the picture of which model. */
const market = await marketplaceOf(['sourcing', 'catalog'])
const parties = await confidentialParties(market)
const { designer, maker, rival, stranger, buyer } = parties
const files = new FileClient(market, designer.administrator.client)

const clientOf = ({ administrator }: TestOrganization) => administrator.client
/** A published part of the designer. */
const partOf = (more: object = {}) => publishedPart(clientOf(designer), { materialType: 'metal', ...more })
/** Adds a model and returns its file and picture. */
async function addModel(partId: string, group: FileGroup, box: number[]) {
  const file = await files.addFile(partId, crypto.randomUUID(), group, 'model.step')
  return { file: file.id, picture: await insertModel(market, file.id, box) }
}
const seenBy = async (org: TestOrganization, partId: string) => {
  const { status, body } = await clientOf(org).get<Part>(`/v1/parts/${partId}`)
  return status === 200 ? measuredIn(body) : status
}
const listedBy = async (org: TestOrganization, partId: string, query = '') => {
  const { body } = await clientOf(org).get<{ items: Part[] }>(`/v1/parts?pageSize=50${query}`)
  return body.items.filter(({ id }) => id === partId).map(measuredIn)
}
/** An RFQ of the designer for its part, with terms, which the manufacturers have accepted. */
async function openFor(partId: string, accepting: TestOrganization[] = [maker, rival]): Promise<string> {
  const content = { manufacturerIds: [maker.orgId, rival.orgId], confidentialityTerms: 'Keep it.' }
  const { body } = await parties.rfqs.create(rfqBody(partId, content))
  expect((await parties.rfqs.act(body.id, 'publish')).status).toBe(200)
  for (const org of accepting) await termsOf(clientOf(org)).accept(body.id)
  return body.id
}
/** What a reader sees of an RFQ by its id, which is what it sees in each list that has the RFQ. */
const rfqAs = async (org: TestOrganization, id: string) => {
  const rfqs = rfqsOf(clientOf(org))
  const seen = measuredIn((await rfqs.read(id)).body)
  const lists = ['', '&view=CONSUMER', '&view=IP_OWNER', '&view=MANUFACTURER']
  const pages = await Promise.all(lists.map((view) => rfqs.list(`?pageSize=50${view}`)))
  const listed = pages.flatMap(({ body }) => body.items.filter((rfq: Rfq) => rfq.id === id)).map(measuredIn)
  // The list of every role, and that of one role at least.
  expect(listed.length).toBeGreaterThanOrEqual(2)
  expect(listed).toEqual(listed.map(() => seen))
  return seen
}
const offerAs = async (org: TestOrganization, offerId: string) => {
  const { body } = await offersOf(clientOf(org)).read(offerId)
  const { body: page } = await clientOf(org).get<{ items: Offer[] }>('/v1/offers?pageSize=50')
  expect(measuredIn(page.items.find((one) => one.id === offerId) ?? {})).toEqual(measuredIn(body))
  return measuredIn(body)
}

describe('measuredBoundingBox and previewUrl of a part', () => {
  test('come from the newest model that the reader may read: of ip and development for the IP owner alone', async () => {
    const partId = await partOf()
    const shown = await addModel(partId, 'document', [10, 20, 30])
    expect(await seenBy(stranger, partId)).toEqual({ picture: shown.picture, boundingBox: { x: 10, y: 20, z: 30 } })
    for (const group of ['ip', 'development', 'partDevelopment'] as const) {
      const secret = await addModel(partId, group, [11, 21, 31])
      const known = { picture: secret.picture, boundingBox: { x: 11, y: 21, z: 31 } }
      expect(await seenBy(designer, partId)).toEqual(known)
      expect(await listedBy(designer, partId, '&view=IP_OWNER')).toEqual([known])
      const open = { picture: shown.picture, boundingBox: { x: 10, y: 20, z: 30 } }
      expect(await seenBy(stranger, partId)).toEqual(open)
      expect(await listedBy(stranger, partId)).toEqual([open])
      expect(await listedBy(stranger, partId, '&q=impeller')).toEqual([open])
    }
  })

  test('a model of ip alone tells nothing to others', async () => {
    const partId = await partOf()
    await addModel(partId, 'ip', [10, 20, 30])
    expect(await seenBy(stranger, partId)).toEqual({})
    expect(await listedBy(stranger, partId)).toEqual([{}])
  })

  test('a file of group preview is the picture, before newer models', async () => {
    const partId = await partOf()
    const preview = await files.addFile(partId, crypto.randomUUID(), 'preview', 'picture.png')
    const picture = `prev_${preview.id}`
    await market.db.owner`
      with rendering as (
        insert into sourcing.renderings (object_key, state, finished_at)
        select object_key, 'READY', now() from sourcing.files where id = ${preview.id} returning object_key)
      insert into sourcing.previews (id, object_key, kind, content_type) select ${picture}, object_key, 'IMAGE', 'image/png'
      from rendering`
    await addModel(partId, 'document', [10, 20, 30])
    expect(await seenBy(stranger, partId)).toEqual({ picture, boundingBox: { x: 10, y: 20, z: 30 } })
  })

  test('end with the removal of the file, and leave revision and history as they are', async () => {
    const partId = await partOf()
    const { file } = await addModel(partId, 'document', [10, 20, 30])
    const before = (await clientOf(designer).get<Part>(`/v1/parts/${partId}`)).body
    expect(before.revision).toBe(2)
    expect((await files.changeFiles(partId, { remove: [file] })).status).toBe(204)
    expect(await seenBy(designer, partId)).toEqual({})
    const history = await clientOf(designer).get(`/v1/parts/${partId}/history`)
    expect(history.text).not.toContain('easured')
  })

  test.each([
    ['METRIC', { x: 10, y: 20, z: 30 }, {}],
    ['METRIC', { x: 30, y: 10, z: 20 }, {}],
    // 1 % of the largest axis is 0.3 mm.
    ['METRIC', { x: 10.3, y: 20, z: 30 }, {}],
    ['METRIC', { x: 10.31, y: 20, z: 30 }, { differs: true }],
    ['METRIC', { x: 30, y: 30, z: 30 }, { differs: true }],
    ['METRIC', { x: 20 }, {}],
    ['METRIC', { x: 25 }, { differs: true }],
    ['IMPERIAL', { x: 10 / 25.4, y: 20 / 25.4, z: 30 / 25.4 }, {}],
    ['IMPERIAL', { x: 10, y: 20, z: 30 }, { differs: true }],
  ])('%s with the stated box %j: %j', async (unitSystem, boundingBox, expected) => {
    const partId = await partOf({ unitSystem, boundingBox })
    const { picture } = await addModel(partId, 'document', [10, 20, 30])
    expect(await seenBy(stranger, partId)).toEqual({ picture, ...expected })
    const secret = await partOf({ unitSystem, boundingBox })
    await addModel(secret, 'ip', [10, 20, 30])
    expect(await seenBy(stranger, secret)).toEqual({})
  })
})

describe('previewUrl of RFQs, offers and orders', () => {
  test('a manufacturer sees none before it accepts the terms, and the model of ip while it is released to it', async () => {
    const partId = await partOf({ internal: true })
    const open = await addModel(partId, 'document', [10, 20, 30])
    const secret = await addModel(partId, 'ip', [11, 21, 31])
    const id = await openFor(partId, [maker])
    expect([await rfqAs(designer, id), await rfqAs(maker, id), await rfqAs(rival, id)]).toEqual([
      { picture: secret.picture },
      { picture: open.picture },
      {},
    ])
    expect(await seenBy(rival, partId)).toEqual({})
    await termsOf(clientOf(designer)).release(id, maker.orgId)
    expect(await rfqAs(maker, id)).toEqual({ picture: secret.picture })
    expect(await seenBy(maker, partId)).toEqual({ picture: secret.picture, boundingBox: { x: 11, y: 21, z: 31 } })
    await termsOf(clientOf(designer)).withdraw(id, maker.orgId)
    expect(await rfqAs(maker, id)).toEqual({ picture: open.picture })
    expect(await seenBy(maker, partId)).toEqual({ picture: open.picture, boundingBox: { x: 10, y: 20, z: 30 } })
  })

  test('shows the pinned revision: a later model of an internal part is not seen by invitees', async () => {
    const partId = await partOf({ internal: true })
    const pinned = await addModel(partId, 'document', [10, 20, 30])
    const id = await openFor(partId)
    const later = await addModel(partId, 'document', [12, 22, 32])
    expect(await rfqAs(maker, id)).toEqual({ picture: pinned.picture })
    expect(await seenBy(maker, partId)).toEqual({ picture: pinned.picture, boundingBox: { x: 10, y: 20, z: 30 } })
    expect(await seenBy(designer, partId)).toEqual({ picture: later.picture, boundingBox: { x: 12, y: 22, z: 32 } })
    await parties.rfqs.act(id, 'cancel', { reason: 'x' })
    expect([await rfqAs(maker, id), await seenBy(maker, partId)]).toEqual([{}, 404])
    // Its IP owner reads the revision that the RFQ pins.
    expect(await rfqAs(designer, id)).toEqual({ picture: pinned.picture })
  })

  test('a loser sees none after the award, the winner the model of ip while its order releases it', async () => {
    const partId = await partOf({ internal: true })
    const open = await addModel(partId, 'document', [10, 20, 30])
    const secret = await addModel(partId, 'ip', [11, 21, 31])
    const id = await openFor(partId)
    const [won, lost] = [await parties.offer(id, maker), await parties.offer(id, rival)]
    expect([await offerAs(maker, won), await offerAs(rival, lost), await offerAs(designer, lost)]).toEqual([
      { picture: open.picture },
      { picture: open.picture },
      { picture: secret.picture },
    ])
    const { body: award } = await awardsOf(clientOf(designer)).accept(won, { quantity: 10 })
    const orders = ordersOf(clientOf(maker))
    const orderId = award.orders[0]?.id ?? ''
    expect([await offerAs(rival, lost), await rfqAs(rival, id)]).toEqual([{}, {}])
    expect(measuredIn((await orders.read(orderId)).body)).toEqual({ picture: open.picture })
    expect((await orders.act(orderId, 'confirm', {})).status).toBe(200)
    // The IP owner is the consumer, so its files are released with the order.
    expect(measuredIn((await orders.read(orderId)).body)).toEqual({ picture: secret.picture })
    const listed = (await orders.list('?pageSize=50&view=MANUFACTURER')).body.items.find((one) => one.id === orderId)
    expect(measuredIn(listed ?? {})).toEqual({ picture: secret.picture })
    expect((await ordersOf(clientOf(designer)).act(orderId, 'cancel', { reason: 'x' })).status).toBe(200)
    expect(measuredIn((await orders.read(orderId)).body)).toEqual({ picture: open.picture })
  })

  test('a maker of a public part sees its newest model: a later open one instead of that of ip of its order', async () => {
    const partId = await partOf()
    const secret = await addModel(partId, 'ip', [11, 21, 31])
    const { body } = await parties.rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
    await parties.rfqs.act(body.id, 'publish')
    const { body: award } = await awardsOf(clientOf(designer)).accept(await parties.offer(body.id, maker), {
      quantity: 10,
    })
    await ordersOf(clientOf(maker)).act(award.orders[0]?.id ?? '', 'confirm', {})
    expect(await seenBy(maker, partId)).toEqual({ picture: secret.picture, boundingBox: { x: 11, y: 21, z: 31 } })
    const open = await addModel(partId, 'document', [10, 20, 30])
    const newest = { picture: open.picture, boundingBox: { x: 10, y: 20, z: 30 } }
    expect([await seenBy(maker, partId), await listedBy(maker, partId)]).toEqual([newest, [newest]])
  })

  test('the consumer of a foreign part sees the open model from the publication of its RFQ until its cancellation', async () => {
    const partId = await partOf()
    const { picture } = await addModel(partId, 'document', [10, 20, 30])
    const rfqs = rfqsOf(clientOf(buyer))
    const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    expect(await rfqAs(buyer, id)).toEqual({})
    expect((await rfqs.act(id, 'publish')).status).toBe(200)
    const offerId = await parties.offer(id, maker)
    expect([await rfqAs(buyer, id), await offerAs(buyer, offerId)]).toEqual([{ picture }, { picture }])
    expect((await rfqs.act(id, 'cancel', { reason: 'x' })).status).toBe(200)
    expect([await rfqAs(buyer, id), await offerAs(buyer, offerId)]).toEqual([{}, {}])
    expect([await rfqAs(maker, id), await offerAs(maker, offerId)]).toEqual([{}, {}])
  })

  test('the consumer of a foreign part never sees the model of ip', async () => {
    const { id, partId } = await parties.openForOwner()
    const owned = new FileClient(market, clientOf(parties.owner))
    const ip = (await owned.listFiles(partId)).find(({ group }) => group === 'ip')
    await insertModel(market, ip?.id ?? '', [5, 5, 5])
    expect([await rfqAs(buyer, id), await seenBy(buyer, partId)]).toEqual([{}, {}])
    expect(await rfqAs(parties.owner, id)).toEqual({ picture: `prev_${ip?.id}` })
  })
})

test('the URL of a preview ends five minutes after its signature at the latest (403)', async () => {
  const partId = await partOf()
  const { picture } = await addModel(partId, 'document', [10, 20, 30])
  const urls = new PreviewUrls(market.config)
  const statusAfter = async (minutes: number) =>
    (await fetch(files.localUrl(urls.of(picture, new Date(Date.now() - minutes * 60_000).toISOString())))).status
  // The picture has no bytes.
  expect([await statusAfter(0), await statusAfter(5)]).toEqual([404, 403])
})

describe('the entity tag of a record with a picture', () => {
  test('If-Match compares what is stored, so neither a new URL nor a new picture fails a change', async () => {
    const partId = await partOf()
    await addModel(partId, 'document', [10, 20, 30])
    const { headers } = await clientOf(designer).get(`/v1/parts/${partId}`)
    const tag = headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[0-9a-z]+\.[0-9a-z]+"$/)
    await market.db.owner`update sourcing.parts set measured = null where id = ${partId}`
    const patch = (ifMatch: string) =>
      clientOf(designer).send('PATCH', `/flows/v1/parts/${partId}`, {
        body: { title: 'Rotor' },
        headers: { 'if-match': ifMatch },
      })
    expect((await patch(tag.replace(/^"./, '"0'))).status).toBe(412)
    expect((await patch(tag)).status).toBe(200)
    expect((await patch(tag)).status).toBe(412)
  })
})
