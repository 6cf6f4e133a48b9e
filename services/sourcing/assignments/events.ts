import type { AssignmentEvent } from '../../../proto/events/events.ts'
import type { Tx } from '../../kit/db/client.ts'
import { notifyParties } from '../notifications/emit.ts'
import { partiesOfOrder } from '../orders/parties.ts'

/** An event of an assignment. */
type AssignmentNotification = AssignmentEvent & {
  /** The organizations that are notified. Default: all of the assignment. */
  toOrgIds?: readonly string[]
}

/** Emits each event once for each organization. */
export const notifyOfAssignments = (tx: Tx, events: readonly AssignmentNotification[]) =>
  notifyParties(
    tx,
    events.map(({ type, data, toOrgIds = partiesOfOrder(data.assignment) }) => ({
      type,
      subject: data.assignment.id,
      partyOrgIds: toOrgIds,
      data,
    })),
  )
