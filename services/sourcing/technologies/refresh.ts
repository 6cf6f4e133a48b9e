import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { levelOf, pause, type Worker } from '../../kit/worker/worker.ts'
import { advanceRefresh, endRefresh, findNextParts, lockRefresh, startRefresh, updateTechnologies } from './queries.ts'

/** Parts per transaction. It lasts a second or two, and other changes of these parts wait for it. */
const BATCH_SIZE = 1000
/** Interval at which each replica checks whether there are parts to update. */
const POLL_MS = 2000

/**
 * Parts contain the technologies of their process, which a catalog import can change. This changes neither the revision nor
 * the history of a part. The handler of the import's event only records that an update is needed. A worker updates the parts
 * in short transactions, because a long one would block changes of parts and delay all consumers of events.
 */
export function technologyWorkers({ bus, sql, log }: { bus: Bus; sql: Pool; log: Log }): Worker[] {
  const consumer = bus.consume({
    name: 'refresh-part-technologies',
    subjects: ['catalog.reloaded'],
    handle: async (tx, event) => {
      const { catalogs } = event.data as { catalogs: string[] }
      if (catalogs.includes('processes')) await startRefresh(tx)
    },
  })
  return [consumer, updateWorker({ sql, log })]
}

const updateWorker = ({ sql, log }: { sql: Pool; log: Log }): Worker => ({
  name: 'part-technologies',
  async run(signal) {
    while (!signal.aborted) {
      const hasMore = await updateNext(sql).catch((err) => {
        log[levelOf(err)]({ err }, 'the technologies of parts could not be updated')
        return false
      })
      if (!hasMore) await pause(POLL_MS, signal)
    }
  },
})

/** Updates the next batch; returns whether there are more parts. */
const updateNext = (sql: Pool): Promise<boolean> =>
  sql.begin(async (tx) => {
    const [refresh] = await lockRefresh(tx)
    if (!refresh) return false
    const after = refresh.last_part_id
    const [next] = await findNextParts(tx, after, BATCH_SIZE)
    if (next?.last) await updateTechnologies(tx, { after, last: next.last })
    if (!next?.last || next.parts < BATCH_SIZE) {
      await endRefresh(tx)
      return false
    }
    await advanceRefresh(tx, next.last)
    return true
  })
