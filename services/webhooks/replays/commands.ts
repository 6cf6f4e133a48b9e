import { type Period, periodOf } from '../../../proto/http/times.ts'
import { MAX_PENDING_REPLAYED, type WebhookReplay } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { RETENTION_MS, withoutNulls } from '../deliveries/rules.ts'
import { lockEndpoint } from '../operations/queries.ts'
import { countPendingReplays, insertReplay } from './queries.ts'

interface ReplayEvents {
  begin: BeginCommand
  params: { id: string }
  body: Period
  audit: AuditContext
}

/** Records that the subscribed events of a period are sent again, which a worker then does in steps. */
export function replayEvents(
  { clock }: { clock: () => number },
  { begin, params, body, audit }: ReplayEvents,
): Promise<WebhookReplay> {
  const nowMs = clock()
  const now = new Date(nowMs).toISOString()
  const period = keptPeriod(periodOf(body), nowMs)
  return begin(async (tx, { orgId }) => {
    const { id } = found(await lockEndpoint(tx, orgId, params.id))
    await refuseAtLimit(tx, orgId)
    const [replay] = await insertReplay(tx, id, period, now)
    if (!replay) throw refuse('limit_reached', { detail: 'The last replay of the endpoint is not finished.' })
    await recordSuccess(tx, audit)
    return withoutNulls(replay)
  })
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
function keptPeriod({ from, to }: Period, nowMs: number): Period {
  const earliest = new Date(nowMs - RETENTION_MS).toISOString()
  const now = new Date(nowMs).toISOString()
  const start = from < earliest ? earliest : from
  const end = to > now ? now : to
  return { from: start, to: end < start ? start : end }
}
