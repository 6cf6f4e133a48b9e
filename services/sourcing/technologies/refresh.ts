import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import type { JobKind } from '../../kit/worker/jobs.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { findNext, updateFactories, updateParts } from './queries.ts'

const KIND = 'technologies'
/** Records per transaction. It lasts a second or two, and other changes of these records wait for it. */
const BATCH_SIZE = 1000
const RETRY_MS = 2000

/** The catalog from which each kind of record has data, and the statements that update the records. */
const REFRESHES = {
  parts: { catalog: 'processes', update: updateParts },
  factories: { catalog: 'technologies', update: updateFactories },
} as const
type Records = keyof typeof REFRESHES

/**
 * Parts contain the technologies of their process, and capabilities the process type of their technology. A catalog
 * import can change both. This changes neither revision nor history. The handler of the import's event only starts
 * jobs, which update the records in short transactions, because a long one would block their changes and delay all
 * consumers of events.
 */
export const technologyConsumer = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'refresh-part-technologies',
    subjects: ['catalog.reloaded'],
    handle: async (tx, event) => {
      const { catalogs } = event.data
      for (const [id, { catalog }] of Object.entries(REFRESHES)) {
        if (catalogs.includes(catalog)) await startJob(tx, { kind: KIND, id }, now())
      }
    },
  })

/** Updates the next parts or factories, whichever the job is about. */
export const technologyJob = (sql: Pool): JobKind<unknown, { lastId: string }> => ({
  kind: KIND,
  slots: 2,
  pauseAfter: () => RETRY_MS,
  run: (job) =>
    sql.begin(async (tx) => {
      const progress = await job.hold(tx)
      if (!progress) return
      const records = job.id as Records
      const after = progress.lastId ?? ''
      const [{ count, last }] = await findNext(tx, records, after, BATCH_SIZE)
      if (last !== null) await REFRESHES[records].update(tx, { after, last })
      if (last === null || count < BATCH_SIZE) await job.end(tx)
      else await job.continue(tx, { lastId: last })
    }),
})
