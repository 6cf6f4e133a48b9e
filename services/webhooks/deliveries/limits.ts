import { MAX_PENDING_REPLAYED, MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Tx } from '../../kit/db/client.ts'
import { requireRoomFor } from '../../kit/errors/refusal.ts'
import { countPendingReplays, countPendingTests, lockReplays, lockTests } from './queries.ts'

const LIMITS = {
  replays: { most: MAX_PENDING_REPLAYED, lock: lockReplays, count: countPendingReplays },
  'test events': { most: MAX_PENDING_TESTS, lock: lockTests, count: countPendingTests },
}

/** Throws 409 for an organization with too many pending deliveries of this origin. */
export async function requireRoom(tx: Tx, orgId: string, origin: keyof typeof LIMITS): Promise<void> {
  const { most, lock, count } = LIMITS[origin]
  await lock(tx, orgId)
  requireRoomFor(`pending deliveries of ${origin}`, most, await count(tx, orgId, most))
}
