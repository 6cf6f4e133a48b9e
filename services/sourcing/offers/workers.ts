import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { updateCasesOf } from '../cases/rfq-cases.ts'
import { caseChange, emitOfferEvents } from './events.ts'
import { expireDue } from './queries.ts'

/** Offers per transaction. */
const BATCH_SIZE = 100
/** An offer expires within five seconds of its validity. */
const POLL_MS = 1000

interface WorkerDeps {
  sql: Pool
  log: Log
  now: () => string
}

/** Expires submitted offers whose validity has passed. */
export const offerExpiryWorker = ({ sql, log, now }: WorkerDeps): Worker =>
  every('offer-expiry', POLL_MS, log, async (signal) => {
    while (!signal.aborted && (await expireNext(sql, now()))) {}
  })

/** Returns whether there may be more. */
const expireNext = (sql: Pool, now: string): Promise<boolean> =>
  sql.begin(async (tx) => {
    const expired = await expireDue(tx, now, BATCH_SIZE)
    await emitOfferEvents(
      tx,
      expired.map((offer) => ['expired', offer]),
    )
    const changes = expired.map((offer) => caseChange('expired', offer))
    await updateCasesOf(tx, changes, now)
    return expired.length === BATCH_SIZE
  })
