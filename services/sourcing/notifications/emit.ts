import type { AssignmentEvent, CaseEvent } from '../../../proto/events/events.ts'
import { emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { partiesOfOrder } from '../orders/parties.ts'

/** An event of a case or an assignment. Its row is locked. */
export type Notification = (CaseEvent | AssignmentEvent) & {
  /** The organizations to notify; a repeated one gets one event. Default: all parties. */
  toOrgIds?: readonly string[]
}

/** Emits one event for each party of each case or assignment, in this order. */
export const notifyParties = (tx: Tx, notifications: readonly Notification[]) =>
  emitAll(
    tx,
    notifications.flatMap(({ type, data, toOrgIds }) => {
      const { id: subject } = 'case' in data ? data.case : data.assignment
      const parties = 'case' in data ? data.case.partyOrgIds : partiesOfOrder(data.assignment)
      return [...new Set(toOrgIds ?? parties)].map((tenantId) => ({ type, tenantId, subject, data }))
    }),
  )
