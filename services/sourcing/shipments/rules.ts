import { type FieldError, problem } from '../../../proto/errors.ts'
import type { DocumentKind } from '../../../proto/http/sourcing/document-kinds.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { MAX_PIECES, MAX_SHIPMENTS } from '../../../proto/http/sourcing/shipments.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { ORDER } from '../../../proto/states/orders.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** The verbs of this feature, which count pieces. */
export type ShipmentVerb =
  | 'addShipment'
  | 'ship'
  | 'deliver'
  | 'complete'
  | 'settle'
  | 'remake'
  | 'acceptRemake'
  | 'declineRemake'

export const TOO_MANY_SHIPMENTS = `An order has at most ${MAX_SHIPMENTS} shipments, besides those of all pieces that are left.`

type Pieces = Pick<
  Order,
  'quantity' | 'shippedQuantity' | 'acceptedQuantity' | 'rejectedQuantity' | 'remadeQuantity' | 'proposedRemakeQuantity'
>

/** The sums of an order, zero where there is none. */
export const sumsOf = (order: Pieces) => ({
  shippedQuantity: order.shippedQuantity ?? 0,
  acceptedQuantity: order.acceptedQuantity ?? 0,
  rejectedQuantity: order.rejectedQuantity ?? 0,
  remadeQuantity: order.remadeQuantity ?? 0,
  proposedRemakeQuantity: order.proposedRemakeQuantity ?? null,
})

/** The pieces that are still to be shipped: those ordered and those made again, without those shipped. */
export const piecesLeft = ({ quantity, shippedQuantity = 0, remadeQuantity = 0 }: Pieces): number =>
  quantity + remadeQuantity - shippedQuantity

/** The rejected pieces that are not made again. */
export const openRejection = ({ rejectedQuantity = 0, remadeQuantity = 0 }: Pieces): number =>
  rejectedQuantity - remadeQuantity

interface Facts {
  order: Order
  /** Pieces of the request. */
  quantity: number
  missingKinds: readonly DocumentKind[]
  /** Shipments that are not received. */
  unreceived: number
}

/** The guards of the state table of orders that count pieces. */
export const GUARDS = {
  documentsAreReady: ({ missingKinds }) =>
    missingKinds.length === 0 ? [] : [problem('documents', `must include in state READY: ${missingKinds.join(', ')}`)],
  piecesAreLeft: ({ order, quantity }) =>
    quantity <= piecesLeft(order)
      ? []
      : [problem('quantity', `must be at most ${piecesLeft(order)}, the pieces that are not shipped`)],
  rejectionIsSettled: ({ order }) =>
    openRejection(order) === 0
      ? undefined
      : `${openRejection(order)} rejected pieces are neither made again nor settled. Accept a remake, or settle.`,
  somethingIsRejected: ({ order }) =>
    (order.rejectedQuantity ?? 0) > 0 ? undefined : 'Nothing was rejected, so there is nothing to settle.',
  shipmentsAreReceived: ({ unreceived }) =>
    unreceived === 0 ? undefined : `Receive the shipments first: ${unreceived} are not received.`,
  noRemakeIsProposed: ({ order }) =>
    order.proposedRemakeQuantity === undefined ? undefined : 'The consumer has not decided the proposed remake yet.',
  rejectedPiecesAreLeft: ({ order, quantity }) =>
    quantity <= openRejection(order)
      ? []
      : [problem('quantity', `must be at most ${openRejection(order)}, the rejected pieces that are not made again`)],
  piecesAreCountable: ({ order, quantity }) =>
    order.quantity + (order.remadeQuantity ?? 0) + quantity <= MAX_PIECES
      ? []
      : [problem('quantity', `must be at most ${MAX_PIECES} together with the other pieces of the order`)],
  remakeIsProposed: ({ order }) =>
    order.proposedRemakeQuantity === undefined ? 'The manufacturer has proposed no remake.' : undefined,
} satisfies Guards<typeof ORDER.verbs, ShipmentVerb, Facts>

/** Why a receipt does not fit its shipment. */
export function receiptProblems(quantity: number, accepted: number, rejected: number): FieldError[] {
  return accepted + rejected === quantity
    ? []
    : [problem('acceptedQuantity', `must be ${quantity} together with rejectedQuantity, the pieces of the shipment`)]
}

/** Documents of a new shipment that are none of its order. */
export const unknownDocuments = (ids: readonly string[], knownIds: ReadonlySet<string>): FieldError[] =>
  ids.flatMap((id, index) =>
    knownIds.has(id) ? [] : [problem(`documentIds.${index}`, noSuch('document', id, 'in this order'))],
  )

/** Why a shipment cannot have left at a time. */
export function timeProblems(shippedTime: string, { createdTime }: Pick<Order, 'createdTime'>, now: string) {
  if (shippedTime > now) return [problem('shippedTime', 'must not be in the future')]
  return shippedTime < createdTime ? [problem('shippedTime', 'must not be before the order')] : []
}

/** What a caller records with `deliver` (the receipt of the consumer, or the arrival), and the permission it needs. */
export function deliveryBy(
  { consumerOrgId, manufacturerOrgId, sellerOrgId }: Order,
  { orgId, permissions }: { orgId: string; permissions: ReadonlySet<Permission> },
) {
  const isSender = orgId === manufacturerOrgId || orgId === sellerOrgId
  const isReceipt = orgId === consumerOrgId && (permissions.has('order:receive') || !isSender)
  return isReceipt
    ? ({ recorded: 'RECEIPT', needed: 'order:receive' } as const)
    : ({ recorded: 'ARRIVAL', needed: 'order:update' } as const)
}
