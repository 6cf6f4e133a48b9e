import { type DrainDeps, drainIn } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { caseChange, emitOfferEvents } from './events.ts'
import { expireDue } from './queries.ts'

/** Offers per transaction. */
const BATCH_SIZE = 100
/** Well below the five seconds within which an offer expires after its validity. */
const POLL_MS = 1000

/** Expires submitted offers whose validity has passed. */
export const offerExpiryWorker = ({ sql, log, now, followers }: RfqDeps & DrainDeps): Worker =>
  every('offer-expiry', POLL_MS, log, (signal) =>
    drainIn({ sql, log, now, signal, limit: BATCH_SIZE }, expireDue, async (tx, expired, at) => {
      await emitOfferEvents(
        tx,
        expired.map((offer) => ['expired', offer]),
      )
      const changes = expired.map((offer) => caseChange('expired', offer))
      await followers.updateCases(tx, changes, at)
    }),
  )
