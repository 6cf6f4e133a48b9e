import type { CaseEvent } from '../../../proto/events/events.ts'
import type { Tx } from '../../kit/db/client.ts'
import { notifyParties } from '../notifications/emit.ts'

/** An event of a case. */
export type CaseNotification = CaseEvent & {
  /** The parties that are notified. Default: all. */
  toOrgIds?: readonly string[]
}

/** Emits the events of cases to the parties of each, in this order. The rows of the cases are locked. */
export const notifyOfCases = (tx: Tx, events: readonly CaseNotification[]) =>
  notifyParties(
    tx,
    events.map(({ type, data, toOrgIds = data.case.partyOrgIds }) => ({
      type,
      subject: data.case.id,
      partyOrgIds: toOrgIds,
      data,
    })),
  )
