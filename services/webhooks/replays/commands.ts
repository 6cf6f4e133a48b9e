import { timeAfter } from '../../../proto/durations.ts'
import { type Period, periodOf } from '../../../proto/http/times.ts'
import type * as api from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { WebhookReplay } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import { requireRoom } from '../deliveries/limits.ts'
import { RETENTION_MS } from '../deliveries/rules.ts'
import { lockEndpointShared } from '../endpoints/queries.ts'
import { insertReplay } from './queries.ts'
import { REPLAY } from './rules.ts'

/** Records that the subscribed events of a period are sent again, which a worker then does in steps. */
export async function replayEvents({
  tx,
  caller,
  params,
  body,
  now,
}: CommandOf<typeof api.replayWebhookEvents>): Promise<WebhookReplay> {
  const { id } = found(await lockEndpointShared(tx, caller.orgId, params.id))
  await requireRoom(tx, caller.orgId, 'replays')
  const [replay] = await insertReplay(tx, id, keptPeriod(periodOf(body), now), now)
  if (!replay) throw refuse('limit_reached', { detail: "The endpoint's last replay has not finished." })
  await startJob(tx, { kind: REPLAY, id, tenantId: caller.orgId }, now)
  return withoutNulls(replay)
}

/** The part of a period whose events are kept, up to now: later events are delivered when they occur. */
function keptPeriod({ from, to }: Period, now: string): Period {
  const earliest = timeAfter(now, -RETENTION_MS)
  const start = from < earliest ? earliest : from
  const end = to > now ? now : to
  return { from: start, to: end < start ? start : end }
}
