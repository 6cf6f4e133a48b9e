import type { PrintedKind, PrintedLanguage } from '../../../proto/http/sourcing/printed-documents.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { Actor } from '../../../proto/states/state-table.ts'

/** The organizations of an order for which a document is. */
export const READERS: Record<PrintedKind, readonly Actor[]> = {
  PURCHASE_ORDER: ['party'],
  ORDER_CONFIRMATION: ['party'],
  PACKING_LIST: ['consumer', 'manufacturer', 'seller'],
}

const UNCONFIRMED: readonly OrderState[] = ['PLACED', 'DECLINED', 'CANCELLED']

/** Why there is no such document of an order in this state; undefined if there is. */
export const printProblem = (kind: PrintedKind, state: OrderState): string | undefined =>
  kind !== 'PURCHASE_ORDER' && UNCONFIRMED.includes(state)
    ? `The order is ${state}; ${kind} needs a confirmed order.`
    : undefined

/** The language of a document for which the request names none. */
export const languageOf = (acceptLanguage: string | null): PrintedLanguage =>
  /^\s*de\b/i.test(acceptLanguage ?? '') ? 'de' : 'en'

/** The name of the file: `O-7K2M9QXA-purchase-order.pdf`. */
export const fileNameOf = (serialNumber: string, kind: PrintedKind): string =>
  `${serialNumber}-${kind.toLowerCase().replace('_', '-')}.pdf`
