import type { Cause } from '../../../proto/events/shapes.ts'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newSeparateIdAt } from '../../kit/db/ids.ts'
import { type Notification, notifyParties } from '../notifications/emit.ts'
import type { RfqChange, RfqOpening } from '../rfqs/followers.ts'
import { insertRfqCases, keepOwnCases, updateRfqCases } from './queries.ts'

/**
 * Opens a case for each organization of each RFQ, so that manufacturers do not learn of each other, and notifies its
 * parties. The case of an organization that is invited again is reopened. An IP owner that is invited after its own
 * case was opened gets a further one, for the conversation with the consumer.
 */
export async function openCases(tx: Tx, openings: readonly RfqOpening[], now: string): Promise<void> {
  const cases = openings.flatMap(({ rfq: { id: rfqId, serialNumber }, orgIds }) =>
    [...new Set(orgIds)].map((orgId) => ({
      id: newSeparateIdAt('case', now),
      rfqId,
      orgId,
      title: `Request for quotation ${serialNumber}`,
    })),
  )
  if (cases.length === 0) return
  // A publication finds no cases.
  const ofOwners = openings.filter(
    ({ rfq, orgIds, cause }) => cause.event !== 'sourcing.rfq.published' && orgIds.includes(rfq.ipOwnerOrgId),
  )
  const rfqIds = ofOwners.map(({ rfq }) => rfq.id)
  if (rfqIds.length > 0) await keepOwnCases(tx, rfqIds)
  const opened = await insertRfqCases(tx, cases, now)
  const causes = new Map(openings.map(({ rfq, cause }) => [rfq.id, cause]))
  await notifyParties(
    tx,
    opened.map(({ rfq_id: rfqId, document, is_new: isNew }) => ({
      type: isNew ? 'cases.created' : 'cases.updated',
      data: { case: JSON.parse(document), cause: causes.get(rfqId) as Cause },
    })),
  )
}

/**
 * Updates the cases of the organizations that are notified, and notifies each one of each change. A consumer learns of
 * a change of the RFQ by its own case, and by the case of a manufacturer only that it is closed or open again.
 */
export async function updateCases(tx: Tx, changes: readonly RfqChange[], now: string): Promise<void> {
  const rows = changes.flatMap(({ rfqId, orgIds, ...change }) =>
    orgIds.map((orgId) => ({ rfqId, orgId, ends: endsFor(change, orgId), resumes: resumesFor(change, orgId) })),
  )
  if (rows.length === 0) return
  const updated = await updateRfqCases(
    tx,
    {
      rfqIds: rows.map(({ rfqId }) => rfqId),
      orgIds: rows.map(({ orgId }) => orgId),
      ends: rows.map(({ ends }) => ends),
      resumes: rows.map(({ resumes }) => resumes),
    },
    now,
  )
  const cases = new Map(
    updated.map(({ rfq_id, org_id, document, was_closed, was_resumed }) => [
      keyOf(rfq_id, org_id),
      { wasClosed: was_closed, wasResumed: was_resumed, case: JSON.parse(document) as Case },
    ]),
  )
  const events = changes.flatMap(({ rfqId, orgIds, cause, ...change }) =>
    [...new Set(orgIds)].flatMap((orgId): Notification[] => {
      const found = cases.get(keyOf(rfqId, orgId))
      if (!found) return []
      const data = { case: found.case, cause }
      if (endsFor(change, orgId) && found.wasClosed) return [{ type: 'cases.closed', data }]
      if (resumesFor(change, orgId) && found.wasResumed) return [{ type: 'cases.updated', data }]
      return [{ type: 'cases.updated', data, toOrgIds: [orgId] }]
    }),
  )
  await notifyParties(tx, events)
}

const endsFor = ({ ends = false, keptFor = [] }: Pick<RfqChange, 'ends' | 'keptFor'>, orgId: string) =>
  ends && !keptFor.includes(orgId)

const resumesFor = ({ resumedFor = [] }: Pick<RfqChange, 'resumedFor'>, orgId: string) => resumedFor.includes(orgId)

const keyOf = (rfqId: string, orgId: string) => `${rfqId} ${orgId}`
