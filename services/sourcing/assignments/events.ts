import type { AssignmentEvent } from '../../../proto/events/events.ts'
import type { Tx } from '../../kit/db/client.ts'
import { notifyParties } from '../notifications/emit.ts'
import { partiesOfOrder } from '../orders/parties.ts'

/** Emits each event once for each organization of its assignment. */
export const notifyOfAssignments = (tx: Tx, events: readonly AssignmentEvent[]) =>
  notifyParties(
    tx,
    events.map(({ type, data }) => ({
      type,
      subject: data.assignment.id,
      partyOrgIds: partiesOfOrder(data.assignment),
      data,
    })),
  )
