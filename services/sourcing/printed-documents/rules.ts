import type { PrintedLanguage } from '../../../proto/http/sourcing/printed-documents.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import { PRINTED, type PrintedKind } from '../../../proto/states/printed-documents.ts'

/** Why there is no such document of an order in this state; undefined if there is. */
export const printProblem = (kind: PrintedKind, state: OrderState): string | undefined =>
  PRINTED[kind].from.includes(state) ? undefined : `The order is ${state}; ${kind} needs a confirmed order.`

/** The language of a document for which the request names none. */
export const languageOf = (acceptLanguage: string | null): PrintedLanguage =>
  /^\s*de\b/i.test(acceptLanguage ?? '') ? 'de' : 'en'

/** The name of the file: `O-7K2M9QXA-purchase-order.pdf`. */
export const fileNameOf = (serialNumber: string, kind: PrintedKind): string =>
  `${serialNumber}-${kind.toLowerCase().replace('_', '-')}.pdf`
