import type { EventData } from '../../../proto/events/events.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { levelOf, pause, type Worker } from '../../kit/worker/worker.ts'
import {
  advanceRefresh,
  endRefresh,
  findNextFactories,
  findNextParts,
  lockRefresh,
  type Records,
  startRefresh,
  updateFactories,
  updateParts,
} from './queries.ts'

/** Records per transaction. It lasts a second or two, and other changes of these records wait for it. */
const BATCH_SIZE = 1000
/** Interval at which each replica checks whether there are records to update. */
const POLL_MS = 2000

/** The catalog from which each kind of record has data, and the statements that update the records. */
const REFRESHES = {
  parts: { catalog: 'processes', findNext: findNextParts, update: updateParts },
  factories: { catalog: 'technologies', findNext: findNextFactories, update: updateFactories },
} as const satisfies Record<Records, object>
const RECORDS = Object.keys(REFRESHES) as Records[]

/**
 * Parts contain the technologies of their process, and capabilities the process type of their technology. A catalog
 * import can change both. This changes neither revision nor history. The handler of the import's event only records
 * that an update is needed. A worker updates the records in short transactions, because a long one would block their
 * changes and delay all consumers of events.
 */
export function technologyWorkers({ bus, sql, log }: { bus: Bus; sql: Pool; log: Log }): Worker[] {
  const consumer = bus.consume({
    name: 'refresh-part-technologies',
    subjects: ['catalog.reloaded'],
    handle: async (tx, event) => {
      const { catalogs } = event.data as EventData<'catalog.reloaded'>
      for (const records of RECORDS) {
        if (catalogs.includes(REFRESHES[records].catalog)) await startRefresh(tx, records)
      }
    },
  })
  return [consumer, ...RECORDS.map((records) => updateWorker(records, { sql, log }))]
}

const updateWorker = (records: Records, { sql, log }: { sql: Pool; log: Log }): Worker => ({
  name: `${records}-technologies`,
  async run(signal) {
    while (!signal.aborted) {
      const hasMore = await updateNext(records, sql).catch((err) => {
        log[levelOf(err)]({ err }, `the technologies of ${records} could not be updated`)
        return false
      })
      if (!hasMore) await pause(POLL_MS, signal)
    }
  },
})

/** Updates the next batch; returns whether there are more records. */
const updateNext = (records: Records, sql: Pool): Promise<boolean> =>
  sql.begin(async (tx) => {
    const { findNext, update } = REFRESHES[records]
    const [refresh] = await lockRefresh(tx, records)
    if (!refresh) return false
    const after = refresh.last_id
    const [next] = await findNext(tx, after, BATCH_SIZE)
    if (next?.last) await update(tx, { after, last: next.last })
    if (!next?.last || next.count < BATCH_SIZE) {
      await endRefresh(tx, records)
      return false
    }
    await advanceRefresh(tx, records, next.last)
    return true
  })
