import type { EventName } from '../../../proto/events/events.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { OrderVerb } from './rules.ts'

export type OrderEventName = EventName<'sourcing.order'>

/** The event of each verb that sends one of its own. */
export const EVENT_NAMES = {
  confirm: 'confirmed',
  decline: 'declined',
  cancel: 'cancelled',
  start: 'started',
  inspect: 'inspected',
  rework: 'reworked',
  deliver: 'delivered',
  complete: 'completed',
  settle: 'completed',
  remake: 'remakeProposed',
  acceptRemake: 'remakeAccepted',
  declineRemake: 'remakeDeclined',
  hold: 'held',
  resume: 'resumed',
  milestones: 'milestonesChanged',
  releaseFiles: 'filesReleased',
} as const satisfies Partial<Record<OrderVerb, OrderEventName>>

export const emitOrderEvent = (tx: Tx, name: OrderEventName, order: Order) =>
  emit(tx, {
    type: `sourcing.order.${name}`,
    tenantId: order.consumerOrgId,
    subject: order.id,
    data: {
      orderId: order.id,
      rfqId: order.rfqId,
      offerId: order.offerId,
      partId: order.partId,
      factoryId: order.factoryId,
      consumerOrgId: order.consumerOrgId,
      ipOwnerOrgId: order.ipOwnerOrgId,
      manufacturerOrgId: order.manufacturerOrgId,
      sellerOrgId: order.sellerOrgId,
      ...(order.distributorOrgId === undefined ? {} : { distributorOrgId: order.distributorOrgId }),
    },
  })
