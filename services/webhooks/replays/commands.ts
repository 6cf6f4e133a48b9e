import { type Period, periodOf } from '../../../proto/http/times.ts'
import { MAX_PENDING_REPLAYED, type WebhookReplay } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Command } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { RETENTION_MS, withoutNulls } from '../deliveries/rules.ts'
import { lockEndpoint } from '../operations/queries.ts'
import { countPendingReplays, insertReplay } from './queries.ts'

interface ReplayedPeriod {
  params: { id: string }
  body: Period
}

/** Records that the subscribed events of a period are sent again, which a worker then does in steps. */
export async function replayEvents({ tx, caller, params, body, now }: Command<ReplayedPeriod>): Promise<WebhookReplay> {
  const { id } = found(await lockEndpoint(tx, caller.orgId, params.id))
  await refuseAtLimit(tx, caller.orgId)
  const [replay] = await insertReplay(tx, id, keptPeriod(periodOf(body), now), now)
  if (!replay) throw refuse('limit_reached', { detail: 'The last replay of the endpoint is not finished.' })
  return withoutNulls(replay)
}

/** An organization has a number of pending deliveries of replays at most. */
export async function refuseAtLimit(tx: Tx, orgId: string): Promise<void> {
  const [pending] = await countPendingReplays(tx, orgId, MAX_PENDING_REPLAYED)
  if (pending.count < MAX_PENDING_REPLAYED) return
  throw refuse('limit_reached', {
    detail: `An organization has at most ${MAX_PENDING_REPLAYED} pending deliveries of replays.`,
  })
}

/** The part of a period whose events are kept, up to now: later events are delivered when they occur. */
function keptPeriod({ from, to }: Period, now: string): Period {
  const earliest = new Date(Date.parse(now) - RETENTION_MS).toISOString()
  const start = from < earliest ? earliest : from
  const end = to > now ? now : to
  return { from: start, to: end < start ? start : end }
}
