import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import { oneOf } from '../../../proto/messages.ts'
import { ASSIGNMENT } from '../../../proto/states/assignments.ts'
import { FINAL_ORDER_STATES } from '../../../proto/states/orders.ts'

type AssignmentVerb = keyof typeof ASSIGNMENT.verbs

const isFinished = ({ status }: Pick<Assignment, 'status'>): boolean => FINAL_ORDER_STATES.includes(status)

/** Whether no delivery is expected any more. */
export const isDelivered = (assignment: Pick<Assignment, 'status'>): boolean =>
  assignment.status === 'DELIVERED' || isFinished(assignment)

/** The state in the table of assignments. */
export const stateOf = ({ archived }: Pick<Assignment, 'archived'>) => (archived ? 'ARCHIVED' : 'CURRENT')

/** The guards of the state table by name. Each returns the reason of a refusal, or undefined. */
const GUARDS = {
  orderIsFinished: (assignment: Pick<Assignment, 'status'>) =>
    isFinished(assignment) ? undefined : `The order is ${assignment.status}, not ${oneOf(FINAL_ORDER_STATES)}.`,
}

/** The reason why a guard refuses the verb; undefined where none does. */
export const guardProblem = (verb: AssignmentVerb, assignment: Pick<Assignment, 'status'>): string | undefined =>
  ASSIGNMENT.guards(verb).map((guard) => GUARDS[guard](assignment))[0]
