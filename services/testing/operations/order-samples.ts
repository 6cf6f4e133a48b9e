import { insertDocument } from '../documents.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'
import { withValue } from './inputs.ts'
import { makerOf, type OperationSample, unfit, withAnother } from './operation-sample.ts'
import { proposedChange, sentShipment } from './orders.ts'

/** A step of the manufacturer, of which a second one is refused. */
const step = (record: RecordName): OperationSample => ({
  by: 'manufacturer',
  references: { 'path.id': record },
  conflict: 'race',
})

/** An offer for another RFQ than that of the request. */
const ofOtherRfq = (record: RecordName) => unfit(record, 400, 'rfq:award')

/** A record of the account that is no shipment of the order. */
const ofOtherOrder = (record: RecordName) => unfit(record, 404, 'order:receive')

const CHANGE = { dueDate: '2031-06-24', reason: 'The pump is delivered later.' }

/** A record of the account that is no change request of the order. */
const ofChangedOrder = (record: RecordName) => unfit(record, 404, 'rfq:award', 'order:confirm')

/** A verb of the consumer on a change request that a side has proposed. */
const onChange = (side: 'CONSUMER' | 'MANUFACTURER'): OperationSample => ({
  by: 'consumer',
  references: {
    'path.id': ofChangedOrder('boughtOrder'),
    'path.changeRequestId': ofChangedOrder('changeRequest'),
  },
  values: async (fixtures, account) => {
    const { orderId, changeRequestId } = await proposedChange(fixtures, account, side)
    return { 'path.id': orderId, 'path.changeRequestId': changeRequestId }
  },
  conflict: 'race',
})

const awardable = async (fixtures: Fixtures, account: Account) => {
  const consumer = await makerOf('awardableOffer', fixtures, account)
  const offerId = String(await recordKind('awardableOffer').make(fixtures, consumer))
  const [offer] = await fixtures.market.db.owner<{ rfq_id: string }[]>`
    select rfq_id from sourcing.offers where id = ${offerId}`
  return { offerId, rfqId: offer?.rfq_id }
}

/** Awards and orders. */
export const ORDER_SAMPLES: Record<string, OperationSample> = {
  awardRfq: {
    references: {
      'path.id': ofOtherRfq('openRfq'),
      'body.awards.0.offerId': ofOtherRfq('awardableOffer'),
      'body.sellerOrgId': 'shared',
    },
    values: async (fixtures, account) => {
      const { offerId, rfqId } = await awardable(fixtures, account)
      return { 'path.id': rfqId, body: { awards: [{ offerId, quantity: 10 }] } }
    },
    conflict: 'race',
  },
  acceptOffer: {
    references: { 'path.id': 'awardableOffer', 'body.sellerOrgId': 'shared' },
    values: () => ({ body: { quantity: 10 } }),
    conflict: 'race',
  },
  listOrders: {
    references: { 'query.partId': ['draftPart', 'internalPart'], 'query.factoryId': 'internalFactory' },
  },
  findOrders: {
    references: {
      'query.rfqId': ['draftRfq', 'openRfq'],
      'query.partId': ['draftPart', 'internalPart'],
      'query.factoryId': 'internalFactory',
    },
  },
  listSuppliers: { references: { 'query.manufacturerOrgId': 'shared' } },
  batchGetSuppliers: { references: { 'body.ids.0': 'shared' } },
  getOrder: { references: { 'path.id': ['boughtOrder', 'ownedOrder', 'placedOrder'] } },
  getOrderDocument: {
    // A purchase order is of no shipment.
    references: {
      'path.id': ['boughtOrder', 'placedOrder'],
      'query.shipmentId': { record: 'shipment', own: () => 400 },
    },
    values: () => ({ 'query.kind': 'PURCHASE_ORDER' }),
    conflict: (_fixtures, _account, input) => withValue(input, 'query.kind', 'ORDER_CONFIRMATION'),
  },
  listOrderHistory: { references: { 'path.id': ['boughtOrder', 'placedOrder'] } },
  confirmOrder: step('placedOrder'),
  declineOrder: step('placedOrder'),
  startOrder: step('confirmedOrder'),
  inspectOrder: step('startedOrder'),
  reworkOrder: step('inspectedOrder'),
  reawardRfq: {
    references: {
      'path.id': ofOtherRfq('openRfq'),
      'body.awards.0.offerId': ofOtherRfq('awardableOffer'),
      'body.sellerOrgId': 'shared',
    },
    values: async (fixtures, account) => {
      const { rfqId, offerId } = await awardable(fixtures, account)
      await fixtures.market.db.owner`
        update sourcing.rfqs set state = 'AWARDED', missing_quantity = 10 where id = ${String(rfqId)}`
      return { 'path.id': rfqId, body: { awards: [{ offerId, quantity: 10 }] } }
    },
    conflict: 'race',
  },
  listChangeRequests: { references: { 'path.id': ['boughtOrder', 'placedOrder'] } },
  createChangeRequest: { references: { 'path.id': 'boughtOrder' }, values: () => ({ body: CHANGE }), conflict: 'race' },
  acceptChangeRequest: onChange('MANUFACTURER'),
  declineChangeRequest: onChange('MANUFACTURER'),
  withdrawChangeRequest: onChange('CONSUMER'),
  listShipments: { references: { 'path.id': ['boughtOrder', 'ownedOrder', 'placedOrder'] } },
  createShipment: {
    ...step('startedOrder'),
    references: {
      // The document of the request is that of another order.
      'path.id': unfit('startedOrder', 400, 'order:update'),
      'body.documentIds.0': unfit('orderDocument', 400, 'order:update'),
    },
    values: async (fixtures, account) => {
      const maker = await makerOf('startedOrder', fixtures, account)
      const id = String(await recordKind('startedOrder').make(fixtures, maker))
      const document = await insertDocument(fixtures.market, { orgId: maker.orgId, kind: 'order', recordId: id })
      return { 'path.id': id, body: { quantity: 10, documentIds: [document] } }
    },
  },
  receiveShipment: {
    by: 'consumer',
    references: { 'path.id': ofOtherOrder('boughtOrder'), 'path.shipmentId': ofOtherOrder('shipment') },
    values: async (fixtures, account) => {
      const { orderId, shipmentId } = await sentShipment(fixtures, account)
      const body = { acceptedQuantity: 9, rejectedQuantity: 1, reason: 'Scratched.' }
      return { 'path.id': orderId, 'path.shipmentId': shipmentId, body }
    },
    conflict: 'race',
  },
  remakeOrder: { ...step('rejectedOrder'), values: () => ({ body: { quantity: 2 } }) },
  acceptOrderRemake: { by: 'consumer', references: { 'path.id': 'orderWithRemake' }, conflict: 'race' },
  declineOrderRemake: { by: 'consumer', references: { 'path.id': 'orderWithRemake' }, conflict: 'race' },
  shipOrder: step('inspectedOrder'),
  deliverOrder: step('shippedOrder'),
  completeOrder: { references: { 'path.id': 'deliveredOrder' }, conflict: 'race' },
  releaseOrderFiles: { references: { 'path.id': 'ownedOrder' }, conflict: 'race' },
  holdOrder: step('startedOrder'),
  resumeOrder: step('heldOrder'),
  replaceOrderMilestones: {
    by: 'manufacturer',
    references: { 'path.id': 'confirmedOrder' },
    conflict: withAnother('path.id', 'placedOrder'),
  },
  cancelOrder: { references: { 'path.id': 'boughtOrder' }, conflict: 'race' },
}
