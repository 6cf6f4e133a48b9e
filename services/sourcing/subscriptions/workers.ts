import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { drain } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { emitExpired } from './commands.ts'
import { expireDue } from './queries.ts'

/** Subscriptions per transaction. */
const BATCH_SIZE = 100
/** Well below the five seconds within which a subscription ends after its expiry. */
const POLL_MS = 1000

interface WorkerDeps {
  sql: Pool
  log: Log
  now: () => string
}

/** Ends expired subscriptions. */
export const subscriptionExpiryWorker = ({ sql, log, now }: WorkerDeps): Worker =>
  every('subscription-expiry', POLL_MS, log, (signal) => drain(signal, () => expireNext(sql, now())))

/** Ends the next subscriptions. Returns whether there may be more. */
const expireNext = (sql: Pool, now: string): Promise<boolean> =>
  sql.begin(async (tx) => {
    const expired = await expireDue(tx, now, BATCH_SIZE)
    await emitExpired(tx, expired)
    return expired.length === BATCH_SIZE
  })
