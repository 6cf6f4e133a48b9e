import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { notifyParties } from '../notifications/emit.ts'
import type { Rejection } from '../orders/followers.ts'
import { insertCase } from './queries.ts'

/**
 * Opens a QUALITY case about rejected pieces. The limit of cases does not apply, because an order has a bounded number
 * of shipments.
 */
export async function openQualityCase(tx: Tx, order: Order, rejection: Rejection, now: string): Promise<void> {
  const { consumerOrgId, manufacturerOrgId, ipOwnerOrgId } = order
  const { quantity, rejectedQuantity, reason, by } = rejection
  const created = {
    id: newIdAt('case', now),
    kind: 'QUALITY' as const,
    rfqId: null,
    orderId: order.id,
    orgId: consumerOrgId,
    createdBy: by,
    partyOrgIds: [...new Set([consumerOrgId, manufacturerOrgId, ipOwnerOrgId])],
    title: `Order ${order.serialNumber}: ${rejectedQuantity} of ${quantity} pieces rejected`,
    description: reason,
  }
  const [{ document }] = await insertCase(tx, created, now)
  const opened: Case = JSON.parse(document)
  const cause = { event: 'sourcing.order.shipmentReceived', id: order.id } as const
  await notifyParties(tx, [{ type: 'cases.created', data: { case: opened, cause } }])
}
