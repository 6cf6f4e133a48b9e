import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import { MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { bodyOf } from '../deliveries/body.ts'
import { notifyDue } from '../deliveries/queries.ts'
import { withoutNulls } from '../deliveries/rules.ts'
import { newWebhookSecret } from '../endpoints/secrets.ts'
import * as queries from './queries.ts'

export interface CommandDeps {
  clock: () => number
  box: SecretBox
}

interface Command {
  begin: BeginCommand
  params: { id: string }
  audit: AuditContext
}

/** Sends a test event to one endpoint. */
export function testEndpoint(
  { clock }: CommandDeps,
  { begin, params, body, audit }: Command & { body: { type: string } },
): Promise<WebhookDelivery> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
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
    await recordSuccess(tx, audit)
    return withoutNulls(delivery)
  })
}

const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1000

/**
 * Replaces the secret of an endpoint. The previous one also signs for 24 hours, and with it those of earlier rotations that
 * sign still: a rotation whose response was lost can be repeated.
 */
export async function rotateSecret({ clock, box }: CommandDeps, { begin, params, audit }: Command) {
  const now = new Date(clock()).toISOString()
  const previousSecretExpireTime = new Date(clock() + PREVIOUS_SECRET_MS).toISOString()
  const secret = newWebhookSecret()
  const encrypted = await box.encrypt(secret)
  return begin(async (tx, { orgId }) => {
    found(await queries.rotateSecret(tx, { orgId, id: params.id }, encrypted, previousSecretExpireTime, now))
    await recordSuccess(tx, audit)
    return { secret, previousSecretExpireTime }
  })
}
