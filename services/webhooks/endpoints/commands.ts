import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import type * as flows from '../../../proto/http/webhooks/endpoint-flows.ts'
import type * as api from '../../../proto/http/webhooks/endpoints.ts'
import {
  type CreatedWebhookEndpoint,
  MAX_ENDPOINTS,
  type WebhookEndpoint,
} from '../../../proto/http/webhooks/endpoints.ts'
import { ENDPOINT } from '../../../proto/states/endpoints.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, requireRoomFor } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import * as queries from './queries.ts'
import { newWebhookSecret } from './secrets.ts'

/** What happens in other features in the transaction of a change of endpoints. `service.ts` provides it. */
interface EndpointFollowers {
  /** Continues the replay of an endpoint that is active again. */
  resumeReplay(tx: Tx, endpointId: string, now: string): PromiseLike<unknown>
  cancelReplay(tx: Tx, endpointId: string): PromiseLike<unknown>
  /** Ends pending deliveries of an endpoint that is deleted. */
  endDeliveries(tx: Tx, endpointId: string, now: string): PromiseLike<unknown>
}

export interface EndpointDeps {
  box: SecretBox
  followers: EndpointFollowers
}

/** Creates an endpoint of the caller's organization. The response is the only one with the secret. */
export async function createEndpoint(
  { box }: EndpointDeps,
  { tx, caller, body, now, audit }: CommandOf<typeof api.createWebhookEndpoint>,
): Promise<{ data: CreatedWebhookEndpoint }> {
  const { orgId } = caller
  await queries.lockEndpoints(tx, orgId)
  requireRoomFor('webhook endpoints', MAX_ENDPOINTS, await queries.countEndpoints(tx, orgId))
  const { url, description, events, status = ENDPOINT.initial } = body
  const secret = newWebhookSecret()
  const endpoint = {
    id: newIdAt('wh', now),
    orgId,
    url,
    description: description || null,
    events: [...new Set(events)],
    status,
    encryptedSecret: await box.encrypt(secret),
  }
  const [row] = await queries.insertEndpoint(tx, endpoint, now)
  audit.add({ webhookId: row.id })
  return { data: { ...withoutNulls(row), secret } }
}

/** Changes the fields that are sent. Deliveries of a paused endpoint are not claimed once the transaction has ended. */
export async function patchEndpoint(
  { followers }: EndpointDeps,
  { tx, caller, params, body, now }: CommandOf<typeof api.patchWebhookEndpoint>,
): Promise<{ data: WebhookEndpoint }> {
  const { orgId } = caller
  const row = found(await queries.lockEndpoint(tx, orgId, params.webhookId))
  if (Object.keys(body).length === 0) return { data: withoutNulls(row) }
  const { events, ...fields } = body
  const change = { ...row, ...fields, events: [...new Set(events ?? row.events)] }
  if (change.description === '') change.description = null
  const [changed] = await queries.updateEndpoint(tx, orgId, params.webhookId, change, now)
  if (changed.status === ENDPOINT.verbs.activate.to && row.status !== changed.status)
    await followers.resumeReplay(tx, params.webhookId, now)
  return { data: withoutNulls(changed) }
}

/** Deletes an endpoint with its replay, and ends its deliveries, which would cost the dispatchers time. */
export async function deleteEndpoint(
  { followers }: EndpointDeps,
  { tx, caller, params, now }: CommandOf<typeof api.deleteWebhookEndpoint>,
): Promise<undefined> {
  found(await queries.deleteEndpoint(tx, caller.orgId, params.webhookId))
  await followers.cancelReplay(tx, params.webhookId)
  await followers.endDeliveries(tx, params.webhookId, now)
}

const PREVIOUS_SECRET_MS = DAY_MS

/**
 * Replaces the secret of an endpoint. The previous one also signs for 24 hours, and so do those of earlier rotations
 * that still sign, so that a rotation whose response was lost can be repeated.
 */
export async function rotateSecret(
  { box }: EndpointDeps,
  { tx, caller, params, now }: CommandOf<typeof flows.rotateWebhookSecret>,
) {
  const previousSecretExpireTime = timeAfter(now, PREVIOUS_SECRET_MS)
  const secret = newWebhookSecret()
  const endpoint = { orgId: caller.orgId, id: params.id }
  found(await queries.rotateSecret(tx, endpoint, await box.encrypt(secret), previousSecretExpireTime, now))
  return { secret, previousSecretExpireTime }
}
