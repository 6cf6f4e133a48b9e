import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'
import { assignmentOf, eventsOf } from '../../testing/assignments.ts'
import { documentsOf } from '../../testing/documents.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { insertShipmentOnly, orderParties, ordersOf } from '../../testing/orders.ts'
import { entriesOf } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const PARTIES = [consumer, ipOwner, maker, seller, distributor]
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)

/** An order with shipments. */
async function shipped(state: OrderState = 'IN_PRODUCTION') {
  const id = await place({ state, heldState: state === 'ON_HOLD' ? 'INSPECTION' : null })
  return { id, shipments: [await shipment(id), await shipment(id)] as const }
}
const shipment = (orderId: string) => insertShipmentOnly(owner, orderId, 'SHIPPED')

const attach = (orderId: string, documentId: string, shipmentIds: readonly string[], by = maker) =>
  of(by).change('orders', orderId, { attach: [{ documentId, shipmentIds }] })
const shipmentsIn = async (orderId: string) =>
  (await of(maker).list('orders', orderId)).body.items.map(({ shipmentIds }) => shipmentIds)

describe('attach of PATCH /flows/v1/orders/{id}/files', () => {
  test('adds shipments to a document that exists, each once, for every organization of the order', async () => {
    const { id, shipments } = await shipped()
    const [first, second] = shipments
    const document = await of(maker).add('orders', id)
    expect((await attach(id, document.id, [second, second])).status).toBe(204)
    expect((await attach(id, document.id, [first, second])).status).toBe(204)
    for (const org of PARTIES) {
      const { items } = (await of(org).list('orders', id)).body
      expect(items.map(({ shipmentIds }) => shipmentIds)).toEqual([[second, first]])
    }
  })

  test('comes before the additions and removals of the same request, and is all or nothing with them', async () => {
    const { id, shipments } = await shipped()
    const [older, removed] = [await of(maker).add('orders', id), await of(maker).add('orders', id)]
    const { id: uploadId } = await of(maker).upload()
    const request = {
      attach: [{ documentId: older.id, shipmentIds: [shipments[0]] }],
      add: [{ uploadId, kind: 'OTHER', supersedes: older.id }],
    }
    const failed = await of(maker).change('orders', id, { ...request, remove: ['file_unknown'] })
    expect([failed.status, await shipmentsIn(id)]).toEqual([400, [undefined, undefined]])
    expect((await of(maker).change('orders', id, { ...request, remove: [removed.id] })).status).toBe(204)
    expect(await shipmentsIn(id)).toEqual([[shipments[0]], [shipments[0]]])
  })

  test('is one event and an update of the assignment for each organization, and is in the audit log', async () => {
    const { id, shipments } = await shipped()
    const document = await of(seller).add('orders', id)
    const assignment = await assignmentOf(owner, id)
    await owner`delete from sourcing.outbox where subject in (${id}, ${assignment})`
    expect((await attach(id, document.id, shipments, seller)).status).toBe(204)
    const told = await eventsOf(owner, assignment)
    expect(told.map(({ type, tenantId, data }) => `${type} ${tenantId} ${data.cause?.event}`).toSorted()).toEqual(
      PARTIES.map(({ orgId }) => `assignments.updated ${orgId} sourcing.order.filesChanged`).toSorted(),
    )
    expect((await eventsOf(owner, id)).map(({ type }) => type)).toEqual(['sourcing.order.filesChanged'])
    const [entry] = (await entriesOf(market, seller.orgId, 'order.updateFiles')).slice(-1)
    expect(entry?.request).toEqual({ id, attach: [{ documentId: document.id, shipmentIds: shipments }] })
  })

  test('of shipments to which the document belongs already emits nothing', async () => {
    const { id, shipments } = await shipped()
    const document = await of(maker).add('orders', id, { shipmentIds: [...shipments] })
    await owner`delete from sourcing.outbox where subject = ${id}`
    expect((await attach(id, document.id, [shipments[1]])).status).toBe(204)
    expect(await eventsOf(owner, id)).toEqual([])
    expect(await shipmentsIn(id)).toEqual([[...shipments]])
  })

  test('names only own documents of the order: others and unknown ones are 400 alike', async () => {
    const [{ id, shipments }, other] = [await shipped(), await shipped()]
    const ofOthers = await of(consumer).add('orders', id)
    const ofOtherOrder = await of(maker).add('orders', other.id)
    for (const unknown of [ofOthers.id, ofOtherOrder.id, 'file_unknown']) {
      const { status, body } = await attach(id, unknown, [shipments[0]])
      const message = `there is no document \`${unknown}\` of your organization in this record`
      expect([status, body.errors]).toEqual([400, [{ field: 'attach.0.documentId', message }]])
    }
    expect(await shipmentsIn(id)).toEqual([undefined])
  })

  test('names only shipments of the order: those of others and unknown ones are 400 alike', async () => {
    const [{ id, shipments }, other] = [await shipped(), await shipped()]
    const document = await of(maker).add('orders', id)
    for (const unknown of [other.shipments[0], 'shipment_unknown']) {
      const { status, body } = await attach(id, document.id, [shipments[0], unknown])
      const message = `there is no shipment \`${unknown}\` of this order`
      expect([status, body.errors]).toEqual([400, [{ field: 'attach.0.shipmentIds.1', message }]])
    }
    expect(await shipmentsIn(id)).toEqual([undefined])
  })

  test('of a document that is attached twice, or also removed, or to no shipment, is 400', async () => {
    const { id, shipments } = await shipped()
    const { id: documentId } = await of(maker).add('orders', id)
    const one = { documentId, shipmentIds: [shipments[0]] }
    for (const [request, field] of [
      [{ attach: [one, one] }, 'attach.1.documentId'],
      [{ attach: [one], remove: [documentId] }, 'attach.0.documentId'],
      [{ attach: [{ documentId, shipmentIds: [] }] }, 'attach.0.shipmentIds'],
      [{ attach: [] }, 'body'],
    ] as const) {
      const { status, body } = await of(maker).change('orders', id, request)
      expect([status, body.errors?.map((error) => error.field)]).toEqual([400, [field]])
    }
  })

  test('is allowed in every state but DECLINED and CANCELLED, where it is 409', async () => {
    for (const state of ORDER_STATES) {
      const { id, shipments } = await shipped()
      const document = await of(maker).add('orders', id)
      await owner`
        update sourcing.orders set state = ${state}, held_state = ${state === 'ON_HOLD' ? 'INSPECTION' : null}
        where id = ${id}`
      const { status } = await attach(id, document.id, shipments)
      expect([state, status]).toEqual([state, state === 'DECLINED' || state === 'CANCELLED' ? 409 : 204])
    }
  })

  test('by a stranger is 404, without file:write 403, and with an old If-Match 412', async () => {
    const { id, shipments } = await shipped()
    const { id: documentId } = await of(maker).add('orders', id)
    expect((await attach(id, documentId, shipments, stranger)).status).toBe(404)
    const request = { attach: [{ documentId, shipmentIds: shipments }] }
    const clerk = await maker.member(['order:update'])
    expect((await documentsOf(market, clerk.client).change('orders', id, request)).status).toBe(403)
    const etag = (await ordersOf(maker.administrator.client).read(id)).headers.get('etag') as string
    await ordersOf(maker.administrator.client).act(id, 'hold', { reason: 'A tool is broken.' })
    expect((await of(maker).change('orders', id, request, { 'if-match': etag })).status).toBe(412)
    expect(await shipmentsIn(id)).toEqual([undefined])
  })

  test('is no field of the documents of other records', async () => {
    for (const kind of ['rfqs', 'offers', 'cases'] as const) {
      const { status, body } = await of(maker).change(kind, 'x', { attach: [] })
      expect([kind, status, body.errors?.[0]?.field]).toEqual([kind, 400, 'attach'])
    }
  })
})
