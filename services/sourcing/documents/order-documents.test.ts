import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'
import { assignmentOf, eventsOf } from '../../testing/assignments.ts'
import { documentsOf, insertDocument } from '../../testing/documents.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const market = await marketplaceOf(['sourcing'], { UPLOADS_OPEN_MAX: '1000' })
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const PARTIES = [consumer, ipOwner, maker, seller, distributor]
const of = ({ administrator }: TestOrganization) => documentsOf(market, administrator.client)

/** The states in which a party adds documents, and those in which it removes its own. */
const ADDED_IN: readonly OrderState[] = [
  'PLACED',
  'CONFIRMED',
  'IN_PRODUCTION',
  'INSPECTION',
  'SHIPPED',
  'DELIVERED',
  'COMPLETED',
  'ON_HOLD',
]
const REMOVED_IN: readonly OrderState[] = ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD']

const placedIn = (state: OrderState) => place({ state, heldState: state === 'ON_HOLD' ? 'INSPECTION' : null })

/** Inserts the RFQ of an order, which requires these documents. */
async function require(orderId: string, kinds: readonly string[] | undefined): Promise<void> {
  await owner`
    insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at)
    select rfq_id, 'R-' || right(rfq_id, 8), part_id, 'P-00000000', consumer_org_id, ip_owner_org_id, 'AWARDED',
      ${JSON.stringify(kinds === undefined ? {} : { requiredDocuments: kinds })}::text::json, '{}', now(), now(), now(), now()
    from sourcing.orders where id = ${orderId}`
}

describe('documents of an order', () => {
  test('are added and read by each organization of the order, and by no other', async () => {
    const id = await place()
    for (const org of PARTIES) await of(org).add('orders', id, { name: org.orgId })
    const all = PARTIES.map(({ orgId }) => orgId).toReversed()
    expect(await Promise.all(PARTIES.map((org) => of(org).names('orders', id)))).toEqual(PARTIES.map(() => all))
    expect(await of(stranger).names('orders', id)).toBe(404)
  })

  test('are removed only by the organization that added them', async () => {
    const id = await place()
    const document = await of(maker).add('orders', id)
    for (const org of PARTIES.filter((each) => each !== maker)) {
      expect((await of(org).change('orders', id, { remove: [document.id] })).status).toBe(400)
    }
    expect((await of(maker).change('orders', id, { remove: [document.id] })).status).toBe(204)
  })

  test('are added in every state but DECLINED and CANCELLED', async () => {
    for (const state of ORDER_STATES) {
      const id = await placedIn(state)
      const { id: uploadId } = await of(maker).upload()
      const { status } = await of(maker).change('orders', id, { add: [{ uploadId, kind: 'INVOICE' }] })
      expect([state, status]).toEqual([state, ADDED_IN.includes(state) ? 204 : 409])
    }
  })

  test('are removed until the order is shipped, and never after', async () => {
    for (const state of ORDER_STATES) {
      const id = await placedIn(state)
      const document = await insertDocument(market, { orgId: maker.orgId, kind: 'order', recordId: id })
      const { status, body } = await of(maker).change('orders', id, { remove: [document] })
      expect([state, status]).toEqual([state, REMOVED_IN.includes(state) ? 204 : 409])
      if (status === 409) expect(body.code).toBe('illegal_transition')
    }
  })

  test('are superseded after the shipment', async () => {
    const id = await placedIn('INSPECTION')
    const older = await of(maker).add('orders', id, { name: 'old.pdf', kind: 'INVOICE' })
    await ordersOf(maker.administrator.client).act(id, 'ship')
    const newer = await of(maker).add('orders', id, { name: 'new.pdf', kind: 'INVOICE', supersedes: older.id })
    const { items } = (await of(consumer).list('orders', id)).body
    expect(items.map(({ name, supersededBy }) => [name, supersededBy])).toEqual([
      ['new.pdf', undefined],
      ['old.pdf', newer.id],
    ])
    const { id: uploadId } = await of(consumer).upload()
    const add = [{ uploadId, kind: 'OTHER', supersedes: newer.id }]
    expect((await of(consumer).change('orders', id, { add })).status).toBe(400)
  })

  test('are in the history of the order, which each of its organizations reads', async () => {
    const id = await place()
    const document = await of(seller).add('orders', id, { name: 'terms.pdf', kind: 'ORDER_CONFIRMATION' })
    for (const org of PARTIES) {
      const [newest] = (await ordersOf(org.administrator.client).history(id)).body.items
      expect([newest?.kind, newest?.changes]).toEqual([
        'UPDATE',
        [
          { field: `files.${document.id}.name`, after: 'terms.pdf' },
          { field: `files.${document.id}.kind`, after: 'ORDER_CONFIRMATION' },
          { field: `files.${document.id}.state`, after: 'READY' },
        ],
      ])
    }
  })

  test('name the shipments of the order that they belong to; one that supersedes them belongs to the same', async () => {
    const id = await placedIn('IN_PRODUCTION')
    const sent = shipmentsOf(maker.administrator.client)
    const [first, second] = [await sent.create(id, { quantity: 1 }), await sent.create(id, { quantity: 1 })]
    const shipmentIds = [second.body.id, first.body.id, second.body.id]
    const older = await of(maker).add('orders', id, { shipmentIds })
    expect(older.shipmentIds).toEqual([second.body.id, first.body.id])
    const newer = await of(maker).add('orders', id, { supersedes: older.id })
    expect(newer.shipmentIds).toEqual([second.body.id, first.body.id])
    const newest = await of(maker).add('orders', id, { supersedes: newer.id, shipmentIds: [] })
    expect(newest.shipmentIds).toBeUndefined()
    for (const org of PARTIES) expect((await of(org).list('orders', id)).body.items).toHaveLength(3)
  })

  test('of a shipment of another order, or of an unknown one, are 400 alike', async () => {
    const [id, other] = [await placedIn('IN_PRODUCTION'), await placedIn('IN_PRODUCTION')]
    const { body: foreign } = await shipmentsOf(maker.administrator.client).create(other, { quantity: 1 })
    for (const shipmentId of [foreign.id, 'shipment_unknown']) {
      const { id: uploadId } = await of(maker).upload()
      const add = [{ uploadId, kind: 'OTHER', shipmentIds: [shipmentId] }]
      const { status, body } = await of(maker).change('orders', id, { add })
      expect([status, body.errors]).toEqual([
        400,
        [{ field: 'add.0.shipmentIds.0', message: `there is no shipment \`${shipmentId}\` of this order` }],
      ])
    }
    expect(await of(maker).names('orders', id)).toEqual([])
  })

  test('of other records name no shipments', async () => {
    const { id: uploadId } = await of(maker).upload()
    const add = [{ uploadId, kind: 'OTHER', shipmentIds: [] }]
    const { status, body } = await of(maker).change('offers', 'offer_unknown', { add })
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'add.0.shipmentIds'])
  })

  test('emit one event, and tell each party of the assignment', async () => {
    const id = await place()
    const { updatedTime } = (await ordersOf(maker.administrator.client).read(id)).body
    await of(maker).add('orders', id)
    const events = await owner<{ type: string; tenant_id: string }[]>`
      select type, tenant_id from sourcing.outbox where subject = ${id}`
    expect([...events]).toEqual([{ type: 'sourcing.order.filesChanged', tenant_id: consumer.orgId }])
    const told = await eventsOf(owner, await assignmentOf(owner, id))
    expect(told.map(({ type, tenantId, data }) => `${type} ${tenantId} ${data.cause?.event}`).toSorted()).toEqual(
      PARTIES.map(({ orgId }) => `assignments.updated ${orgId} sourcing.order.filesChanged`).toSorted(),
    )
    // The end of a finished order is its last change, which documents do not move.
    expect((await ordersOf(maker.administrator.client).read(id)).body.updatedTime).toBe(updatedTime)
  })
})

describe('POST /flows/v1/orders/{id}/ship', () => {
  const makes = ordersOf(maker.administrator.client)
  const REQUIRED = ['CERTIFICATE_OF_CONFORMITY', 'MATERIAL_CERTIFICATE'] as const

  test('without the documents that the RFQ required is 409, which names the missing kinds', async () => {
    const id = await placedIn('INSPECTION')
    await require(id, REQUIRED)
    const none = await makes.act(id, 'ship')
    expect([none.status, none.body.code, none.body.errors]).toEqual([
      409,
      'illegal_transition',
      [
        {
          field: 'documents',
          message: 'must include in state READY: CERTIFICATE_OF_CONFORMITY, MATERIAL_CERTIFICATE',
        },
      ],
    ])
    await of(maker).add('orders', id, { kind: 'CERTIFICATE_OF_CONFORMITY' })
    await of(maker).add('orders', id, { kind: 'INVOICE' })
    expect((await makes.act(id, 'ship')).body.errors?.[0]?.message).toBe(
      'must include in state READY: MATERIAL_CERTIFICATE',
    )
    await of(maker).add('orders', id, { kind: 'MATERIAL_CERTIFICATE' })
    expect((await makes.act(id, 'ship')).status).toBe(200)
  })

  test.each([['no list', undefined] as const, ['an empty list', []] as const])(
    'needs no document where the RFQ has %s',
    async (_, kinds) => {
      const id = await placedIn('INSPECTION')
      await require(id, kinds)
      expect((await makes.act(id, 'ship')).status).toBe(200)
    },
  )

  test('counts documents of manufacturer and seller, not those of other parties', async () => {
    const id = await placedIn('INSPECTION')
    await require(id, REQUIRED)
    for (const org of [consumer, ipOwner, distributor]) {
      for (const kind of REQUIRED) await of(org).add('orders', id, { kind })
    }
    await of(seller).add('orders', id, { kind: 'MATERIAL_CERTIFICATE' })
    expect((await makes.act(id, 'ship')).body.errors?.[0]?.message).toBe(
      'must include in state READY: CERTIFICATE_OF_CONFORMITY',
    )
    await of(maker).add('orders', id, { kind: 'CERTIFICATE_OF_CONFORMITY' })
    expect((await makes.act(id, 'ship')).status).toBe(200)
  })

  test('does not count PENDING, FAILED and superseded documents, nor those of another order', async () => {
    const [id, other] = [await placedIn('INSPECTION'), await placedIn('INSPECTION')]
    await require(id, ['MATERIAL_CERTIFICATE'])
    const row = { orgId: maker.orgId, kind: 'order', documentKind: 'MATERIAL_CERTIFICATE' } as const
    await insertDocument(market, { ...row, recordId: id, state: 'PENDING' })
    await insertDocument(market, { ...row, recordId: id, state: 'FAILED' })
    await of(maker).add('orders', other, { kind: 'MATERIAL_CERTIFICATE' })
    const older = await of(maker).add('orders', id, { kind: 'MATERIAL_CERTIFICATE' })
    await of(maker).add('orders', id, { kind: 'OTHER', supersedes: older.id })
    expect((await makes.act(id, 'ship')).status).toBe(409)
    await of(maker).add('orders', id, { kind: 'MATERIAL_CERTIFICATE' })
    expect((await makes.act(id, 'ship')).status).toBe(200)
  })

  test('in another state, or by another organization, tells nothing of documents', async () => {
    const id = await placedIn('IN_PRODUCTION')
    await require(id, REQUIRED)
    expect((await makes.act(id, 'ship')).body.errors).toBeUndefined()
    expect((await ordersOf(consumer.administrator.client).act(id, 'ship')).status).toBe(404)
  })
})

describe('POST /flows/v1/orders/{id}/shipments', () => {
  const makes = shipmentsOf(maker.administrator.client)

  test('needs the documents that the RFQ required for each shipment, not only for the last one', async () => {
    const id = await placedIn('IN_PRODUCTION')
    await require(id, ['CERTIFICATE_OF_CONFORMITY'])
    const refused = await makes.create(id, { quantity: 1 })
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      [{ field: 'documents', message: 'must include in state READY: CERTIFICATE_OF_CONFORMITY' }],
    ])
    await of(maker).add('orders', id, { kind: 'CERTIFICATE_OF_CONFORMITY' })
    expect((await makes.create(id, { quantity: 1 })).status).toBe(201)
  })

  test('names documents of the order that belong to the shipment', async () => {
    const id = await placedIn('IN_PRODUCTION')
    const certificate = await of(maker).add('orders', id, { kind: 'MATERIAL_CERTIFICATE' })
    await of(maker).add('orders', id, { kind: 'INVOICE' })
    const { body: first } = await makes.create(id, { quantity: 1, documentIds: [certificate.id, certificate.id] })
    const { body: second } = await makes.create(id, { quantity: 1, documentIds: [certificate.id] })
    const { items } = (await of(consumer).list('orders', id)).body
    expect(items.map(({ kind, shipmentIds }) => [kind, shipmentIds])).toEqual([
      ['INVOICE', undefined],
      ['MATERIAL_CERTIFICATE', [first.id, second.id]],
    ])
  })

  test('with a document of another order, or an unknown one, is 400 alike and ships nothing', async () => {
    const [id, other] = [await placedIn('IN_PRODUCTION'), await placedIn('IN_PRODUCTION')]
    const own = await of(maker).add('orders', id)
    const foreign = await of(maker).add('orders', other)
    for (const unknown of [foreign.id, 'file_unknown']) {
      const { status, body } = await makes.create(id, { quantity: 1, documentIds: [own.id, unknown] })
      expect([status, body.errors]).toEqual([
        400,
        [{ field: 'documentIds.1', message: `there is no document \`${unknown}\` in this order` }],
      ])
    }
    expect((await makes.list(id)).body.items).toEqual([])
    expect((await of(maker).list('orders', id)).body.items.map(({ shipmentIds }) => shipmentIds)).toEqual([undefined])
  })

  test('with an unknown document is 400 before 409, where the order cannot be shipped', async () => {
    const id = await placedIn('PLACED')
    expect((await makes.create(id, { quantity: 1 })).status).toBe(409)
    const { status, body } = await makes.create(id, { quantity: 1, documentIds: ['file_unknown'] })
    expect([status, body.errors?.map(({ field }) => field)]).toEqual([400, ['documentIds.0']])
  })

  test('keeps the documents of the order from then on: they are superseded, not removed', async () => {
    const id = await placedIn('IN_PRODUCTION')
    const document = await of(maker).add('orders', id, { kind: 'INSPECTION_REPORT' })
    await makes.create(id, { quantity: 1 })
    const { status, body } = await of(maker).change('orders', id, { remove: [document.id] })
    expect([status, body.detail]).toEqual([409, 'Documents of a shipment are superseded, not removed.'])
  })
})
