import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import { oneOf } from '../../../proto/messages.ts'
import type { ASSIGNMENT } from '../../../proto/states/assignments.ts'
import { FINAL_ORDER_STATES } from '../../../proto/states/orders.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

const isFinished = ({ status }: Pick<Assignment, 'status'>): boolean => FINAL_ORDER_STATES.includes(status)

/** Whether a delivery is no longer expected. */
export const isDelivered = (assignment: Pick<Assignment, 'status'>): boolean =>
  assignment.status === 'DELIVERED' || isFinished(assignment)

/** The state in the table of assignments. */
export const stateOf = ({ archived }: Pick<Assignment, 'archived'>) => (archived ? 'ARCHIVED' : 'CURRENT')

/** The guards of the state table. */
export const GUARDS = {
  orderIsFinished: (assignment: Pick<Assignment, 'status'>) =>
    isFinished(assignment) ? undefined : `The order is ${assignment.status}, not ${oneOf(FINAL_ORDER_STATES)}.`,
} satisfies Guards<typeof ASSIGNMENT.verbs, keyof typeof ASSIGNMENT.verbs, never>
