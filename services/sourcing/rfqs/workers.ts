import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { caseChange, emitRfqEvent } from './events.ts'
import type { RfqDeps, RfqFollowers } from './followers.ts'
import { expireDue } from './queries.ts'

/** RFQs per transaction. Each has up to 102 organizations, all of which are notified of its end. */
const BATCH_SIZE = 20
/** An RFQ closes within five seconds of its expiry. */
const POLL_MS = 1000

interface WorkerDeps extends RfqDeps {
  sql: Pool
  log: Log
  now: () => string
}

/** Closes expired RFQs. */
export const rfqExpiryWorker = ({ sql, log, now, followers }: WorkerDeps): Worker =>
  every('rfq-expiry', POLL_MS, log, async (signal) => {
    while (!signal.aborted && (await expireNext(sql, followers, now()))) {}
  })

/** Closes the next RFQs. Returns whether there may be more. */
const expireNext = (sql: Pool, followers: RfqFollowers, now: string): Promise<boolean> =>
  sql.begin(async (tx) => {
    const expired = await expireDue(tx, now, BATCH_SIZE)
    const closed = expired
      .filter(({ was_open: wasOpen }) => wasOpen)
      .map((rfq) => ({
        id: rfq.id,
        partId: rfq.part_id,
        consumerOrgId: rfq.consumer_org_id,
        ipOwnerOrgId: rfq.ip_owner_org_id,
        manufacturerIds: rfq.manufacturer_ids,
      }))
    for (const rfq of closed) await emitRfqEvent(tx, 'closed', rfq)
    const changes = closed.map((rfq) => caseChange('closed', rfq))
    await followers.updateCases(tx, changes, now)
    return expired.length === BATCH_SIZE
  })
