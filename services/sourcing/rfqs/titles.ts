import type { EventData } from '../../../proto/events/events.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import * as queries from './title-queries.ts'

/** RFQs per transaction, each with up to 100 invitations. Other changes of these RFQs wait for it. */
const BATCH_SIZE = 100
const POLL_MS = 1000

/**
 * Searches of RFQs use the title of the part. The handler of an event of the part only records that the title must be
 * copied; a worker copies it in short transactions, so a search finds a new title a moment later. Orders are included,
 * because an order makes its part readable.
 */
export const titleWorkers = ({ bus, sql, log }: { bus: Bus; sql: Pool; log: Log }): Worker[] => [
  bus.consume({
    name: 'refresh-rfq-titles',
    subjects: ['sourcing.part.updated', 'sourcing.part.published', 'sourcing.part.unarchived', 'sourcing.order.placed'],
    handle: async (tx, event) => {
      await queries.startRefresh(
        tx,
        (event.data as EventData<'sourcing.part.updated' | 'sourcing.order.placed'>).partId,
      )
    },
  }),
  every('rfq-titles', POLL_MS, log, async (signal) => {
    while (!signal.aborted && (await refreshNext(sql))) {}
  }),
]

/** Copies the title of one part to its next RFQs; returns whether there may be more. */
const refreshNext = (sql: Pool): Promise<boolean> =>
  sql.begin(async (tx) => {
    const [refresh] = await queries.lockRefresh(tx)
    if (!refresh) return false
    const { part_id: partId, last_id: lastId } = refresh
    const ids = (await queries.lockNextRfqs(tx, partId, lastId, BATCH_SIZE)).map(({ id }) => id)
    await queries.refreshRfqs(tx, ids)
    await queries.refreshInvitations(tx, ids)
    const last = ids[BATCH_SIZE - 1]
    if (last === undefined) await queries.endRefresh(tx, partId)
    else await queries.advanceRefresh(tx, partId, last)
    return true
  })
