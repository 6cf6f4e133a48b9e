import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { pause, type Worker } from '../../kit/worker/worker.ts'
import { beginRefresh, endRefresh, findNextParts, lockRefresh, moveRefresh, refreshTechnologies } from './queries.ts'

/** Few enough for one transaction to be over in a second or two: those who want one of these parts wait for no more. */
const PARTS_AT_A_TIME = 1000
/** How often each replica looks whether there is something to do, or left behind. */
const POLL_MS = 2000

/**
 * Parts show the technologies of their process, which a catalog import may change: neither content nor history does. The
 * import's event is handled at once, by a note of what there is to do; the parts follow in short transactions, for a long
 * one would hold up their owners and everybody who reads events.
 */
export function refreshTechnologiesOf({ bus, sql, log }: { bus: Bus; sql: Pool; log: Log }): Worker[] {
  const asked = bus.consume({
    name: 'refresh-part-technologies',
    subjects: ['catalog.reloaded'],
    handle: async (tx, event) => {
      const { catalogs } = event.data as { catalogs: string[] }
      if (!catalogs.includes('processes')) return
      await beginRefresh(tx)
    },
  })
  return [asked, worker({ sql, log })]
}

const worker = ({ sql, log }: { sql: Pool; log: Log }): Worker => ({
  name: 'part-technologies',
  async run(signal) {
    while (!signal.aborted) {
      const more = await refreshNext(sql).catch((err) => {
        log.error({ err }, 'technologies of parts could not be refreshed')
        return false
      })
      if (!more) await pause(POLL_MS, signal)
    }
  },
})

/** Brings the next parts up to date; whether there are more. */
const refreshNext = (sql: Pool): Promise<boolean> =>
  sql.begin(async (tx) => {
    const [refresh] = await lockRefresh(tx)
    if (!refresh) return false
    const { after } = refresh
    const [next] = await findNextParts(tx, after, PARTS_AT_A_TIME)
    if (next?.last) await refreshTechnologies(tx, { after, last: next.last })
    if (!next?.last || next.parts < PARTS_AT_A_TIME) {
      await endRefresh(tx)
      return false
    }
    await moveRefresh(tx, next.last)
    return true
  })
