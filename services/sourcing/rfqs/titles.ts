import type { EventData } from '../../../proto/events/events.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import type { JobKind } from '../../kit/worker/jobs.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import * as queries from './title-queries.ts'

const KIND = 'rfq-titles'
/** RFQs per transaction, each with up to 100 invitations. Other changes of these RFQs wait for it. */
const BATCH_SIZE = 100
const RETRY_MS = 1000

/**
 * Searches of RFQs use the title of the part. The handler of an event of the part only starts a job where a title
 * differs. It copies the title in short transactions, so a search finds a new title a moment later. Orders are
 * included, because an order makes its part readable.
 */
export const titleConsumer = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'refresh-rfq-titles',
    subjects: ['sourcing.part.updated', 'sourcing.part.published', 'sourcing.part.unarchived', 'sourcing.order.placed'],
    handle: async (tx, event) => {
      const { partId } = event.data as EventData<'sourcing.part.updated' | 'sourcing.order.placed'>
      const [found] = await queries.findStaleTitles(tx, partId, BATCH_SIZE)
      if (found?.is_some) await startJob(tx, { kind: KIND, id: partId }, now())
    },
  })

/** Copies the title of a part to its next RFQs. */
export const titleJob = (sql: Pool): JobKind<unknown, { lastId: string }> => ({
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
      const lastId = ids[BATCH_SIZE - 1]
      if (lastId === undefined) await job.end(tx)
      else await job.continue(tx, { lastId })
    }),
})
