import { ORDER_STATES, type OrderState } from './orders.ts'
import type { Actor } from './state-table.ts'

export const PRINTED_KINDS = ['PURCHASE_ORDER', 'ORDER_CONFIRMATION', 'PACKING_LIST'] as const
export type PrintedKind = (typeof PRINTED_KINDS)[number]

interface Printed {
  /** The states of an order in which the document exists. */
  from: readonly OrderState[]
  /** The organizations of an order for which the document is. */
  by: readonly Actor[]
}

const CONFIRMED = ORDER_STATES.filter((state) => !['PLACED', 'DECLINED', 'CANCELLED'].includes(state))

/** The documents that are printed from an order. */
export const PRINTED: Record<PrintedKind, Printed> = {
  PURCHASE_ORDER: { from: ORDER_STATES, by: ['party'] },
  ORDER_CONFIRMATION: { from: CONFIRMED, by: ['party'] },
  PACKING_LIST: { from: CONFIRMED, by: ['consumer', 'manufacturer', 'seller'] },
}
