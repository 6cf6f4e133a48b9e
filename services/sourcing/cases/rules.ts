import { DAY_MS } from '../../../proto/durations.ts'
import type { FieldError } from '../../../proto/errors.ts'
import {
  type Case,
  type CaseInput,
  type CasePatch,
  MAX_CASES,
  MAX_CASES_OF_ALL,
  MAX_OPEN_CASES,
} from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { CASE } from '../../../proto/states/cases.ts'
import { FINAL_ORDER_STATES } from '../../../proto/states/orders.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

export type CaseVerb = keyof typeof CASE.verbs

/** Whether an organization may read a case and use its verbs. `visibility.ts` has the rule in SQL. */
export const isParty = ({ partyOrgIds }: Pick<Case, 'partyOrgIds'>, orgId: string): boolean =>
  partyOrgIds.includes(orgId)

/** Problems of a new case that its schema cannot express. */
export function referenceProblems({ kind, rfqId, orderId, partyOrgIds }: CaseInput): FieldError[] {
  if (rfqId !== undefined && orderId !== undefined) {
    return [{ field: 'orderId', message: 'must not be sent with rfqId' }]
  }
  return partyOrgIds !== undefined && (kind !== 'QUALITY' || orderId === undefined)
    ? [{ field: 'partyOrgIds', message: 'is only for a QUALITY case of an order' }]
    : []
}

/** Named parties that are no organization of the order. The message does not tell whether an organization exists. */
export const partyProblems = (named: readonly string[], ofOrder: readonly string[]): FieldError[] =>
  named.flatMap((orgId, index) =>
    ofOrder.includes(orgId)
      ? []
      : [{ field: `partyOrgIds.${index}`, message: noSuch('organization', orgId, 'of this order') }],
  )

export const unknownRfq = (id: string): FieldError => ({ field: 'rfqId', message: noSuch('RFQ', id) })

export const unknownOrder = (id: string): FieldError => ({ field: 'orderId', message: noSuch('order', id) })

const DAYS_AFTER_ORDER = 90

/** Why an order can no longer have a case; undefined where it can. The last change of a finished order is its end. */
export function orderProblem({ state, updatedTime }: Pick<Order, 'state' | 'updatedTime'>, now: string) {
  const hasEnded =
    FINAL_ORDER_STATES.includes(state) && Date.parse(updatedTime) + DAYS_AFTER_ORDER * DAY_MS <= Date.parse(now)
  return hasEnded ? { field: 'orderId', message: `ended more than ${DAYS_AFTER_ORDER} days ago` } : undefined
}

/** The relation of an organization to an RFQ. */
export interface RfqRelation {
  consumerOrgId: string
  state: RfqState
  /** Whether it was only an invitation, which the organization declined. */
  isDeclined: boolean
  /** For a case that the RFQ opened: the orders of the RFQ that its organization manufactures. */
  orders: readonly Pick<Order, 'state' | 'updatedTime'>[]
}

/**
 * Why an RFQ can no longer have a case of an organization; undefined where it can. The case that the RFQ opened for an
 * awarded manufacturer lives as long as a case of one of its orders.
 */
export function rfqProblem({ state, isDeclined, orders }: RfqRelation, now: string): FieldError | undefined {
  if (state === 'AWARDED' && orders.some((order) => !orderProblem(order, now))) return undefined
  if (state === 'AWARDED' || state === 'CANCELLED') return { field: 'rfqId', message: `is ${state}` }
  return isDeclined ? { field: 'rfqId', message: 'is declined by its organization' } : undefined
}

/** The cases about one record. */
export interface CaseCount {
  /** Those of the organization that are OPEN. */
  open: number
  /** Those of the organization. */
  own: number
  /** Those that it created, also those that another organization closed. */
  made: number
  /** Those of all organizations. */
  all: number
}

/**
 * Whether an organization may have one more OPEN case about a record. `isNew` is false for a case that is reopened. The
 * first cases of an organization have room in any case, so that others cannot use it up; a record with `n`
 * organizations thus has at most `MAX_CASES_OF_ALL + n * MAX_OPEN_CASES`. Cases that another organization closed do not
 * count as own, because by closing them it would use up the room of the organization that made them.
 */
export const hasRoom = ({ open, made, own, all }: CaseCount, isNew: boolean): boolean =>
  open < MAX_OPEN_CASES && (!isNew || made < MAX_OPEN_CASES || (own < MAX_CASES && all < MAX_CASES_OF_ALL))

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

const relationEnded = ({ field, message }: FieldError) =>
  `The case can no longer be changed, because the ${field === 'rfqId' ? 'RFQ' : 'order'} ${message}.`

/** The guards of the state table. */
export const GUARDS = {
  isRelated: ({ relation }: { relation?: { problem?: FieldError | undefined } | undefined }) =>
    relation?.problem && relationEnded(relation.problem),
  wasClosedByParty: ({ closedByOrgId }: { closedByOrgId?: string | undefined }) =>
    closedByOrgId === undefined ? 'The RFQ closed the case.' : undefined,
} satisfies Guards<typeof CASE.verbs, CaseVerb, never>
