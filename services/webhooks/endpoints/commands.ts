import {
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointRequest,
  MAX_ENDPOINTS,
  type PatchWebhookEndpointRequest,
  type WebhookEndpoint,
} from '../../../proto/http/webhooks/endpoints.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { failDeliveriesOf } from '../deliveries/queries.ts'
import { resumeReplay } from '../replays/queries.ts'
import * as queries from './queries.ts'
import { merged, shownEndpoint } from './rules.ts'
import { newWebhookSecret } from './secrets.ts'

export interface CommandDeps {
  clock: () => number
  box: SecretBox
}

interface Command {
  begin: BeginCommand
  audit: AuditContext
}

/** Creates an endpoint of the caller's organization. The response is the only one with the secret. */
export async function createEndpoint(
  { clock, box }: CommandDeps,
  { begin, body, audit }: Command & { body: CreateWebhookEndpointRequest },
): Promise<{ data: CreatedWebhookEndpoint }> {
  const now = nowOf(clock)
  const secret = newWebhookSecret()
  const encryptedSecret = await box.encrypt(secret)
  return begin(async (tx, { orgId }) => {
    await queries.lockEndpoints(tx, orgId)
    const [present] = await queries.countEndpoints(tx, orgId)
    if (present.count >= MAX_ENDPOINTS) {
      throw refuse('limit_reached', { detail: `An organization has at most ${MAX_ENDPOINTS} webhook endpoints.` })
    }
    const { url, description, events, status = 'active' } = body
    const endpoint = {
      id: newIdAt('wh', now),
      orgId,
      url,
      description: description || null,
      events: merged(events),
      status,
      encryptedSecret,
    }
    const [row] = await queries.insertEndpoint(tx, endpoint, now)
    await recordSuccess(tx, audit)
    return { data: { ...shownEndpoint(row), secret } }
  })
}

interface ChangeEndpoint extends Command {
  params: { webhookId: string }
}

/** Changes the fields that are sent. Deliveries of a paused endpoint are not claimed once the transaction has ended. */
export function patchEndpoint(
  { clock }: CommandDeps,
  { begin, params, body, audit }: ChangeEndpoint & { body: PatchWebhookEndpointRequest },
): Promise<{ data: WebhookEndpoint }> {
  const now = nowOf(clock)
  return begin(async (tx, { orgId }) => {
    const row = found(await queries.lockEndpoint(tx, orgId, params.webhookId))
    await recordSuccess(tx, audit)
    if (Object.keys(body).length === 0) return { data: shownEndpoint(row) }
    const { events, ...fields } = body
    const change = { ...row, ...fields, events: merged(events ?? row.events) }
    if (change.description === '') change.description = null
    const [changed] = await queries.updateEndpoint(tx, orgId, params.webhookId, change, now)
    if (changed.status === 'active') await resumeReplay(tx, params.webhookId, now)
    return { data: shownEndpoint(changed) }
  })
}

/** Of one statement. The clean-up ends the others within minutes. */
const MAX_ENDED_DELIVERIES = 1000

/** Deletes an endpoint with its replay, and ends its deliveries, because each endpoint that has some costs the dispatchers time. */
export function deleteEndpoint({ clock }: CommandDeps, { begin, params, audit }: ChangeEndpoint): Promise<undefined> {
  const now = nowOf(clock)
  return begin(async (tx, { orgId }) => {
    found(await queries.deleteEndpoint(tx, orgId, params.webhookId))
    await failDeliveriesOf(tx, params.webhookId, now, MAX_ENDED_DELIVERIES)
    await recordSuccess(tx, audit)
    return undefined
  })
}

const nowOf = (clock: () => number) => new Date(clock()).toISOString()
