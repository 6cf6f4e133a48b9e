import type * as api from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireRoom } from './limits.ts'
import { announceDue, lockDelivery, makeDue } from './queries.ts'

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
  if (state === 'FAILED' && replay > 0) await requireRoom(tx, orgId, 'replays')
  if (state === 'FAILED' && isTest) await requireRoom(tx, orgId, 'test events')
  const [due] = await makeDue(tx, orgId, params.id, now)
  announceDue(tx, [orgId])
  return withoutNulls(due)
}
