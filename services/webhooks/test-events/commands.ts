import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type * as api from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { newId } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import { bodyOf } from '../deliveries/body.ts'
import { requireRoom } from '../deliveries/limits.ts'
import { announceDue } from '../deliveries/queries.ts'
import { lockEndpointShared } from '../endpoints/queries.ts'
import { insertTestEvent } from './queries.ts'

/** Sends a test event to one endpoint. */
export async function testEndpoint({
  tx,
  caller,
  params,
  body,
  now,
  audit,
}: CommandOf<typeof api.testWebhookEndpoint>): Promise<WebhookDelivery> {
  const { orgId } = caller
  const { id: endpointId } = found(await lockEndpointShared(tx, orgId, params.id))
  await requireRoom(tx, orgId, 'test events')
  const id = newId('evt')
  const { type } = body
  const event = {
    id,
    orgId,
    endpointId,
    type,
    body: bodyOf({ id, type, time: now, tenantid: orgId, data: { test: true } }),
  }
  const [delivery] = await insertTestEvent(tx, event, now)
  audit.add({ deliveryId: delivery.id })
  announceDue(tx, [orgId])
  return withoutNulls(delivery)
}
