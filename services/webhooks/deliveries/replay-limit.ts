import { MAX_PENDING_REPLAYED } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { countPendingReplays, lockReplays } from './queries.ts'

/** Throws 409 for an organization with too many pending deliveries of replays. */
export async function requireReplayRoom(tx: Tx, orgId: string): Promise<void> {
  await lockReplays(tx, orgId)
  const [pending] = await countPendingReplays(tx, orgId, MAX_PENDING_REPLAYED)
  if (pending.count < MAX_PENDING_REPLAYED) return
  throw refuse('limit_reached', {
    detail: `An organization has at most ${MAX_PENDING_REPLAYED} pending deliveries of replays.`,
  })
}
