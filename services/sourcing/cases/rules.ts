import type { FieldError } from '../../../proto/errors.ts'
import type { Case, CaseInput, CasePatch, CaseState } from '../../../proto/http/sourcing/cases.ts'
import { noSuch, oneOf } from '../../../proto/messages.ts'
import { CASE_TRANSITIONS, type CaseVerb } from './states.ts'

/** Whether an organization may read a case and use its verbs. `visibility.ts` has the rule in SQL. */
export const isParty = ({ partyOrgIds }: Pick<Case, 'partyOrgIds'>, orgId: string): boolean =>
  partyOrgIds.includes(orgId)

/** Problems of a new case that its schema cannot express. */
export const referenceProblems = ({ rfqId, orderId }: CaseInput): FieldError[] =>
  rfqId !== undefined && orderId !== undefined ? [{ field: 'orderId', message: 'must not be sent with rfqId' }] : []

export const unknownRfq = (id: string): FieldError => ({ field: 'rfqId', message: noSuch('RFQ', id) })

export const unknownOrder = (id: string): FieldError => ({ field: 'orderId', message: noSuch('order', id) })

/** The organizations that an order names. */
interface OrderParties {
  consumerOrgId: string
  ipOwnerOrgId: string
  manufacturerOrgId: string
  sellerOrgId: string
  distributorOrgId?: string
}

/** The parties to the case of an order, each once. */
export const partiesOfOrder = (order: OrderParties): string[] => [
  ...new Set(
    [
      order.consumerOrgId,
      order.ipOwnerOrgId,
      order.manufacturerOrgId,
      order.sellerOrgId,
      order.distributorOrgId,
    ].filter((orgId) => orgId !== undefined),
  ),
]

/** The content that a party can change. */
export interface CaseContent {
  title: string
  description: string | null
}

export const contentOf = ({ title, description }: Pick<Case, 'title' | 'description'>): CaseContent => ({
  title,
  description: description ?? null,
})

/** The content after a patch: sent fields replace the stored ones, null clears a field. */
export const patchedContent = (present: Case, patch: CasePatch): CaseContent => ({ ...contentOf(present), ...patch })

export const illegal = (state: CaseState, verb: CaseVerb) =>
  `The case is ${state}, not ${oneOf(CASE_TRANSITIONS[verb].from)}.`
