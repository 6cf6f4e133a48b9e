import { MAX_PENDING_REPLAYED } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { Kit } from '../../kit/service/service.ts'
import { cancelJobs, wakeJob } from '../../kit/worker/job-queries.ts'
import type { Job, JobKind } from '../../kit/worker/jobs.ts'
import { pause } from '../../kit/worker/worker.ts'
import { announceDue, countPendingReplays, lockReplays } from '../deliveries/queries.ts'
import * as queries from './queries.ts'
import { hasRoom, MAX_DUE, paceOf, REPLAY } from './rules.ts'

type Deps = Pick<Kit, 'sql' | 'now'>
type Replay = Job<unknown, queries.Position>

/** Events that one step looks at, at most. */
const MAX_EVENTS = 500
/** A replica creates 200 deliveries a second at most, so that those of new events find one that is not busy. */
const PAUSE_PER_DELIVERY_MS = 5
const MIN_PAUSE_MS = 12
/** The pause of a replay without room, or that failed. */
const RETRY_MS = 250

/** Runs replays in bounded steps. The steps of one organization never run at the same time. */
export const replayJob = (deps: Deps): JobKind<unknown, queries.Position> => ({
  kind: REPLAY,
  slots: 1,
  tenantSlots: 1,
  pauseAfter: () => RETRY_MS,
  async run(replay, signal) {
    const created = await deps.sql.begin((tx) => step(tx, replay, deps.now()))
    await pause(Math.max(created * PAUSE_PER_DELIVERY_MS, MIN_PAUSE_MS), signal)
  },
})

/** Continues the replay of an endpoint that is active again. */
export const resumeReplay = (tx: Tx, endpointId: string, now: string) => wakeJob(tx, REPLAY, endpointId, now)

/** Ends the replay of an endpoint that is deleted. */
export const cancelReplay = (tx: Tx, endpointId: string) => cancelJobs(tx, REPLAY, [endpointId])

/** Returns the number of deliveries that it created. */
async function step(tx: Tx, job: Replay, now: string): Promise<number> {
  const { id: endpointId, tenantId: orgId } = job
  const [replay] = await queries.lockReplay(tx, endpointId)
  const position = await job.hold(tx)
  if (!replay || !position) return 0
  if (replay.status === 'paused') {
    await job.continue(tx, undefined, Number.POSITIVE_INFINITY)
    return 0
  }
  await lockReplays(tx, orgId)
  const [due] = await queries.countDue(tx, endpointId, now, MAX_DUE)
  const [pending] = await countPendingReplays(tx, orgId, MAX_PENDING_REPLAYED)
  if (!hasRoom({ due: due.count, pendingOfOrg: pending.count })) {
    await job.continue(tx, undefined, RETRY_MS)
    return 0
  }
  const { deliveries: maxDeliveries, pauseMs } = paceOf(replay)
  const { time = replay.from_time, id = '' } = position
  const limits = { maxEvents: MAX_EVENTS, maxDeliveries }
  const next = { orgId, endpointId, subscriptions: replay.events, time, id, to: replay.to_time, ...limits }
  const [done] = await queries.stepReplay(tx, next, now)
  if (done.isFinished) await job.end(tx)
  else await job.continue(tx, { time: done.time ?? time, id: done.id ?? id }, pauseMs)
  if (done.created > 0) announceDue(tx, [orgId])
  return done.created
}
