import type { Tx } from '../../kit/db/client.ts'
import { emitOfferEvents } from './events.ts'
import { endAskingOf, endOffersOf } from './queries.ts'

const EVENT_NAMES = { REJECTED: 'rejected', EXPIRED: 'expired' } as const

/** Rejects the submitted offers of cancelled RFQs. Offers whose validity has passed expire instead. */
export async function rejectOffers(tx: Tx, rfqIds: readonly string[], now: string): Promise<void> {
  const ended = await endOffersOf(tx, rfqIds, now)
  await endAskingOf(tx, rfqIds)
  await emitOfferEvents(
    tx,
    ended.map((offer) => [EVENT_NAMES[offer.state], offer]),
  )
}
