import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import { oneOf } from '../../../proto/messages.ts'
import { FINAL_STATES } from '../orders/states.ts'

/** The distinct organizations of an assignment. `visibility.ts` has them in SQL. */
export const partiesOf = (assignment: Assignment): string[] => {
  const { consumerOrgId, ipOwnerOrgId, manufacturerOrgId, sellerOrgId, distributorOrgId } = assignment
  const named = [consumerOrgId, ipOwnerOrgId, manufacturerOrgId, sellerOrgId, distributorOrgId]
  return [...new Set(named.filter((orgId) => orgId !== undefined))]
}

export const isFinished = ({ status }: Pick<Assignment, 'status'>): boolean => FINAL_STATES.includes(status)

/** Whether no delivery is expected any more. */
export const isDelivered = (assignment: Pick<Assignment, 'status'>): boolean =>
  assignment.status === 'DELIVERED' || isFinished(assignment)

/** Why an assignment cannot be archived or unarchived; undefined where it can. */
export function archivingProblem(
  verb: 'archive' | 'unarchive',
  assignment: Pick<Assignment, 'archived' | 'status'>,
): string | undefined {
  if (assignment.archived === (verb === 'archive')) {
    return `The assignment is ${verb === 'archive' ? 'archived already' : 'not archived'}.`
  }
  return verb === 'unarchive' || isFinished(assignment)
    ? undefined
    : `The order is ${assignment.status}, not ${oneOf(FINAL_STATES)}.`
}

/** A record after a patch, in which null removes a field. */
export const patched = <Record extends object>(present: Record, patch: object): Record =>
  Object.fromEntries(Object.entries({ ...present, ...patch }).filter(([, value]) => value !== null)) as Record
