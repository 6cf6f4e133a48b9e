import type * as api from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { announceDue, lockDelivery, makeDue } from './queries.ts'
import { requireReplayRoom } from './replay-limit.ts'
import { requireTestRoom } from './test-limit.ts'

/** Makes a delivery due now; a FAILED one gets one more attempt. */
export async function retryDelivery({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof api.retryWebhookDelivery>): Promise<WebhookDelivery> {
  const { orgId } = caller
  const delivery = found(await lockDelivery(tx, orgId, params.id))
  const { state, replay, is_test: isTest, has_endpoint: hasEndpoint } = delivery
  if (!hasEndpoint) throw refuse('illegal_transition', { detail: "The delivery's endpoint was deleted." })
  if (state === 'DELIVERED') throw refuse('illegal_transition', { detail: 'This delivery already succeeded.' })
  if (state === 'FAILED' && replay > 0) await requireReplayRoom(tx, orgId)
  if (state === 'FAILED' && isTest) await requireTestRoom(tx, orgId)
  const [due] = await makeDue(tx, orgId, params.id, now)
  announceDue(tx, [orgId])
  return withoutNulls(due)
}
