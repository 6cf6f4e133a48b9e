import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import type { JobKind } from '../../kit/worker/jobs.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { causeOf, emitRfqEvent } from './events.ts'
import type { RfqFollowers } from './followers.ts'
import * as queries from './part-change-queries.ts'

const KIND = 'rfq-titles'
/** RFQs per transaction, each with up to 100 invitations. Other changes of these RFQs wait for it. */
const BATCH_SIZE = 100
const RETRY_MS = 1000

/**
 * Searches of RFQs use the title of the part, and an OPEN RFQ shows that its part has changed. The handler of an event
 * of the part only starts a job where an RFQ differs. It works in short transactions, so RFQs follow a moment later.
 */
export const partChangeConsumer = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'refresh-rfq-titles',
    subjects: [
      'sourcing.part.updated',
      'sourcing.part.filesChanged',
      'sourcing.part.published',
      'sourcing.part.unarchived',
    ],
    handle: async (tx, event) => {
      const { partId } = event.data
      const [found] = await queries.findStaleRfqs(tx, partId, BATCH_SIZE)
      if (found?.is_some) await startJob(tx, { kind: KIND, id: partId }, now())
    },
  })

interface PartChangeDeps {
  sql: Pool
  now: () => string
  followers: Pick<RfqFollowers, 'updateCases'>
}

/** Copies the title of a part to its next RFQs, and marks those that are OPEN and pin something else. */
export const partChangeJob = ({ sql, now, followers }: PartChangeDeps): JobKind<unknown, { lastId: string }> => ({
  kind: KIND,
  slots: 1,
  pauseAfter: () => RETRY_MS,
  run: (job) =>
    sql.begin(async (tx) => {
      const progress = await job.hold(tx)
      if (!progress) return
      const ids = (await queries.lockNextRfqs(tx, job.id, progress.lastId ?? '', BATCH_SIZE)).map(({ id }) => id)
      await queries.refreshRfqs(tx, ids)
      await queries.refreshInvitations(tx, ids)
      await markChanged(tx, followers, ids, now())
      const lastId = ids[BATCH_SIZE - 1]
      if (lastId === undefined) await job.end(tx)
      else await job.continue(tx, { lastId })
    }),
})

/**
 * Marks OPEN RFQs whose part has changed, and returns the marked ones. Consumer and IP owner are notified once, when
 * the mark is set. Invited manufacturers are not.
 */
export async function markChanged(
  tx: Tx,
  followers: PartChangeDeps['followers'],
  ids: readonly string[],
  now: string,
): Promise<readonly queries.MarkedRfq[]> {
  const changed = await queries.markChanged(tx, ids, now)
  for (const rfq of changed) await emitRfqEvent(tx, 'partChanged', rfq)
  const changes = changed.map((rfq) => ({
    rfqId: rfq.id,
    orgIds: [rfq.consumerOrgId, rfq.ipOwnerOrgId],
    cause: causeOf('partChanged', rfq),
  }))
  await followers.updateCases(tx, changes, now)
  return changed
}
