import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { refuseAtLimit } from '../replays/commands.ts'
import { lockDelivery, makeDue } from './list-queries.ts'
import { notifyDue } from './queries.ts'
import { withoutNulls } from './rules.ts'

interface RetryDelivery {
  begin: BeginCommand
  params: { id: string }
  audit: AuditContext
}

/** Makes a delivery due now; a FAILED one gets one more attempt. */
export function retryDelivery(
  { clock }: { clock: () => number },
  { begin, params, audit }: RetryDelivery,
): Promise<WebhookDelivery> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { state, replay, has_endpoint: hasEndpoint } = found(await lockDelivery(tx, orgId, params.id))
    if (!hasEndpoint) throw refuse('illegal_transition', { detail: 'The endpoint of the delivery was deleted.' })
    if (state === 'DELIVERED') throw refuse('illegal_transition', { detail: 'The delivery is DELIVERED.' })
    if (state === 'FAILED' && replay > 0) await refuseAtLimit(tx, orgId)
    const [delivery] = await makeDue(tx, orgId, params.id, now)
    await notifyDue(tx, orgId)
    await recordSuccess(tx, audit)
    return withoutNulls(delivery)
  })
}
