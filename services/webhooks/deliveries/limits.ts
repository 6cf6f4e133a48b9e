import { MAX_PENDING_REPLAYED, MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { countPendingReplays, countPendingTests, lockReplays, lockTests } from './queries.ts'

const LIMITS = {
  replays: { most: MAX_PENDING_REPLAYED, lock: lockReplays, count: countPendingReplays },
  'test events': { most: MAX_PENDING_TESTS, lock: lockTests, count: countPendingTests },
}

/** Throws 409 for an organization with too many pending deliveries of this origin. */
export async function requireRoom(tx: Tx, orgId: string, origin: keyof typeof LIMITS): Promise<void> {
  const { most, lock, count } = LIMITS[origin]
  await lock(tx, orgId)
  const [pending] = await count(tx, orgId, most)
  if (pending.count < most) return
  throw refuse('limit_reached', { detail: `An organization has at most ${most} pending deliveries of ${origin}.` })
}
