import { MAX_PENDING_REPLAYED } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Pool } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import type { Log } from '../../kit/log/log.ts'
import { levelOf, pause, type Worker } from '../../kit/worker/worker.ts'
import { countPendingReplays, notifyDue } from '../deliveries/queries.ts'
import * as queries from './queries.ts'
import { hasRoom, MAX_DUE, paceOf } from './rules.ts'

interface Deps {
  sql: Pool
  clock: () => number
  log: Log
}

/** Events that one step looks at, at most. */
const STEP_EVENTS = 500
/** A round creates 50 deliveries at most, 200 a second, so that those of new events find a replica that is not busy. */
const ROUND_DELIVERIES = 50
const ROUND_MS = 250
const IDLE_MS = 1000
const MAX_STEPS_PER_ROUND = 20

/**
 * Runs replays in bounded steps, one of each organization in turn. Every replica runs it; the steps of one organization
 * never run at the same time.
 */
export const replayWorker = (deps: Deps): Worker => ({
  name: 'webhook-replays',
  async run(signal) {
    while (!signal.aborted) {
      const hasReplays = await runRound(deps, signal).catch((err) => {
        deps.log[levelOf(err)]({ err }, 'replays failed; they are tried again')
        return false
      })
      await pause(hasReplays ? ROUND_MS : IDLE_MS, signal)
    }
  },
})

/** Runs a step of each organization in turn, up to the deliveries of a round. Returns whether there are replays. */
async function runRound(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const orgs = await queries.listReplayingOrgs(deps.sql, nowOf(deps), MAX_STEPS_PER_ROUND)
  let left = ROUND_DELIVERIES
  for (const { org_id: orgId } of orgs) {
    if (signal.aborted || left === 0) break
    left -= await stepOf(deps, orgId, left).catch((err) => {
      // The replays of other organizations continue.
      if (isDependencyFailure(err)) throw err
      deps.log.error({ err, orgId }, 'a replay failed; it is tried again')
      return 0
    })
  }
  return orgs.length > 0
}

/** Runs a step of the replay that has been due longest. Returns the number of deliveries that it created. */
function stepOf(deps: Deps, orgId: string, most: number): Promise<number> {
  const now = nowOf(deps)
  return deps.sql.begin(async (tx) => {
    const [{ taken }] = await queries.tryLockReplays(tx, orgId)
    const [replay] = taken ? await queries.claimReplay(tx, orgId, now) : []
    if (!replay) return 0
    if (replay.status === 'paused') {
      await queries.suspendReplay(tx, replay.endpoint_id)
      return 0
    }
    const [due] = await queries.countDue(tx, replay.endpoint_id, now, MAX_DUE)
    const [pending] = await countPendingReplays(tx, orgId, MAX_PENDING_REPLAYED)
    if (!hasRoom({ due: due.count, pendingOfOrg: pending.count })) {
      await queries.postponeReplay(tx, replay.endpoint_id, inMs(deps, ROUND_MS))
      return 0
    }
    const pace = paceOf(replay)
    const deliveries = Math.min(pace.deliveries, most)
    const step = { events: STEP_EVENTS, deliveries, now, nextStepAt: inMs(deps, pace.pauseMs) }
    const [{ created }] = await queries.stepReplay(tx, orgId, replay, step)
    if (created > 0) await notifyDue(tx, orgId)
    return created
  })
}

const inMs = ({ clock }: Deps, ms: number) => new Date(clock() + ms).toISOString()
const nowOf = (deps: Deps) => inMs(deps, 0)
