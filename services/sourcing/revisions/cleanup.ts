import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { drain } from '../../kit/worker/batches.ts'
import { deleteUnpinned, lockDueParts, sweepDue } from './queries.ts'

/** How long an RFQ without orders keeps its revision after its end. */
const RFQ_DAYS = 90
const CHECK_DAYS = 30
const BATCH_SIZE = 100

/** Deletes pinned revisions that RFQs and orders no longer need, with the removed files that only they listed. */
export async function cleanUpRevisions(
  sql: Pool,
  { orderDays, now }: { orderDays: number; now: string },
  signal: AbortSignal,
): Promise<void> {
  const sweep = {
    now,
    rfqsEndedBefore: timeAfter(now, -RFQ_DAYS * DAY_MS),
    ordersPlacedBefore: timeAfter(now, -orderDays * DAY_MS),
    nextCheck: timeAfter(now, CHECK_DAYS * DAY_MS),
    limit: BATCH_SIZE,
  }
  const step = async (tx: Tx) => {
    const due = (await lockDueParts(tx, sweep)).map(({ part_id: id }) => id)
    const swept = await sweepDue(tx, due, sweep)
    const partIds = swept.flatMap(({ part_id: id }) => (id === null ? [] : [id]))
    if (partIds.length > 0) await deleteUnpinned(tx, partIds)
    return swept.length === BATCH_SIZE
  }
  await drain(signal, () => sql.begin(step))
}
