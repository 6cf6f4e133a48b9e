import type { CaseEvent } from '../../../proto/events/events.ts'
import type { Tx } from '../../kit/db/client.ts'
import { notifyParties } from '../notifications/emit.ts'

/** Emits the events of cases to the parties of each, in this order. The rows of the cases are locked. */
export const notifyOfCases = (tx: Tx, events: readonly CaseEvent[]) =>
  notifyParties(
    tx,
    events.map(({ type, data }) => ({ type, subject: data.case.id, partyOrgIds: data.case.partyOrgIds, data })),
  )
