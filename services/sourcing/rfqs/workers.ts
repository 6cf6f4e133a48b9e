import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import { type DrainDeps, drainIn } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { caseChange, emitRfqEvents } from './events.ts'
import type { RfqDeps } from './followers.ts'
import { type EndedRfq, expireDue, lapseDue } from './worker-queries.ts'

/** RFQs per transaction. Each has up to 102 organizations, all of which are notified of its end. */
const BATCH_SIZE = 20
/** Well below the five seconds within which an RFQ closes after its expiry. */
const POLL_MS = 1000

/** A CLOSED RFQ that is not awarded or cancelled ends by itself. */
const LAPSE_MS = 180 * DAY_MS
const LAPSE_REASON = 'The RFQ was closed for 180 days without an award.'

/** Closes expired RFQs, and cancels those that have been closed for long. */
export const rfqExpiryWorker = ({ sql, log, now, followers }: RfqDeps & DrainDeps): Worker =>
  every('rfq-expiry', POLL_MS, log, async (signal) => {
    const drained = { sql, log, now, signal, limit: BATCH_SIZE }
    await drainIn(drained, expireDue, async (tx, expired, at) => {
      const closed = expired.filter(({ was_open: wasOpen }) => wasOpen).map(subjectOf)
      await emitRfqEvents(tx, 'closed', closed)
      const changes = closed.map((rfq) => caseChange('closed', rfq))
      await followers.updateCases(tx, changes, at)
    })
    await drainIn(
      drained,
      (tx, due) => lapseDue(tx, LAPSE_REASON, timeAfter(due.now, -LAPSE_MS), due),
      async (tx, rows, at) => {
        const lapsed = rows.map(subjectOf)
        await emitRfqEvents(tx, 'cancelled', lapsed)
        const ids = lapsed.map(({ id }) => id)
        await followers.rejectOffers(tx, ids, at)
        await followers.endQuestions(tx, lapsed, at)
        const changes = lapsed.map((rfq) => ({ ...caseChange('cancelled', rfq), ends: true }))
        await followers.updateCases(tx, changes, at)
      },
    )
  })

const subjectOf = ({ id, part_id, consumer_org_id, ip_owner_org_id, manufacturer_ids }: EndedRfq) => ({
  id,
  partId: part_id,
  consumerOrgId: consumer_org_id,
  ipOwnerOrgId: ip_owner_org_id,
  manufacturerIds: manufacturer_ids,
})
