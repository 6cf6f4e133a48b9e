import { type DrainDeps, drainIn } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { emitExpired } from './commands.ts'
import { expireDue } from './queries.ts'

/** Subscriptions per transaction. */
const BATCH_SIZE = 100
/** Well below the five seconds within which a subscription ends after its expiry. */
const POLL_MS = 1000

/** Ends expired subscriptions. */
export const subscriptionExpiryWorker = ({ sql, log, now }: DrainDeps): Worker =>
  every('subscription-expiry', POLL_MS, log, (signal) =>
    drainIn({ sql, log, now, signal, limit: BATCH_SIZE }, expireDue, emitExpired),
  )
