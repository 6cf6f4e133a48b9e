import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import { MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Command } from '../../kit/command/command.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { bodyOf } from '../deliveries/body.ts'
import { notifyDue } from '../deliveries/queries.ts'
import { withoutNulls } from '../deliveries/rules.ts'
import { newWebhookSecret } from '../endpoints/secrets.ts'
import * as queries from './queries.ts'

interface OneEndpoint {
  params: { id: string }
}

/** Sends a test event to one endpoint. */
export async function testEndpoint({
  tx,
  caller,
  params,
  body,
  now,
}: Command<OneEndpoint & { body: { type: string } }>): Promise<WebhookDelivery> {
  const { orgId } = caller
  const { id: endpointId } = found(await queries.lockEndpoint(tx, orgId, params.id))
  await queries.lockTests(tx, orgId)
  const [pending] = await queries.countPendingTests(tx, orgId)
  if (pending.count >= MAX_PENDING_TESTS) {
    throw refuse('limit_reached', {
      detail: `An organization has at most ${MAX_PENDING_TESTS} pending deliveries of test events.`,
    })
  }
  const id = newId('evt')
  const { type } = body
  const event = {
    id,
    orgId,
    endpointId,
    type,
    body: bodyOf({ id, type, time: now, tenantid: orgId, data: { test: true } }),
  }
  const [delivery] = await queries.insertTestEvent(tx, event, now)
  await notifyDue(tx, orgId)
  return withoutNulls(delivery)
}

const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1000

/**
 * Replaces the secret of an endpoint. The previous one also signs for 24 hours, and with it those of earlier rotations that
 * sign still: a rotation whose response was lost can be repeated.
 */
export async function rotateSecret({ box }: { box: SecretBox }, { tx, caller, params, now }: Command<OneEndpoint>) {
  const previousSecretExpireTime = new Date(Date.parse(now) + PREVIOUS_SECRET_MS).toISOString()
  const secret = newWebhookSecret()
  const endpoint = { orgId: caller.orgId, id: params.id }
  found(await queries.rotateSecret(tx, endpoint, await box.encrypt(secret), previousSecretExpireTime, now))
  return { secret, previousSecretExpireTime }
}
