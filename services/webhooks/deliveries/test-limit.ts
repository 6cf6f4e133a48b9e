import { MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { countPendingTests, lockTests } from './queries.ts'

/** Throws 409 for an organization that has the maximum of pending deliveries of test events. */
export async function requireTestRoom(tx: Tx, orgId: string): Promise<void> {
  await lockTests(tx, orgId)
  const [pending] = await countPendingTests(tx, orgId)
  if (pending.count < MAX_PENDING_TESTS) return
  throw refuse('limit_reached', {
    detail: `An organization has at most ${MAX_PENDING_TESTS} pending deliveries of test events.`,
  })
}
