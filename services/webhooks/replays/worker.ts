import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { levelOf, pause, type Worker } from '../../kit/worker/worker.ts'
import { notifyDue } from '../deliveries/queries.ts'
import * as queries from './queries.ts'
import { hasRoom, MAX_DUE, MAX_PENDING_REPLAYED, STEP_EVENTS } from './rules.ts'

interface Deps {
  sql: Pool
  clock: () => number
  log: Log
}

/** After a step that had no room. Deliveries make room within a fraction of a second. */
const NO_ROOM_PAUSE_MS = 200
const IDLE_MS = 1000
const MAX_ORGS_PER_ROUND = 100

/**
 * Works off replays in bounded steps, one of each organization in turn. Every replica runs it; the steps of one organization
 * never run at the same time.
 */
export const replayWorker = (deps: Deps): Worker => ({
  name: 'webhook-replays',
  async run(signal) {
    while (!signal.aborted) {
      const waitMs = await runRound(deps, signal).catch((err) => {
        deps.log[levelOf(err)]({ err }, 'a replay did not continue; it is tried again')
        return IDLE_MS
      })
      if (waitMs > 0) await pause(waitMs, signal)
    }
  },
})

/** One step of each organization. Returns how long to wait for the next round. */
async function runRound(deps: Deps, signal: AbortSignal): Promise<number> {
  const orgs = await queries.listReplayingOrgs(deps.sql, nowOf(deps), MAX_ORGS_PER_ROUND)
  let hasStepped = false
  for (const { org_id: orgId } of orgs) {
    if (signal.aborted) break
    hasStepped = (await stepOf(deps, orgId)) || hasStepped
  }
  if (hasStepped) return 0
  return orgs.length > 0 ? NO_ROOM_PAUSE_MS : IDLE_MS
}

/** A step of the replay of an organization that has been due longest. Returns whether it looked at events. */
function stepOf(deps: Deps, orgId: string): Promise<boolean> {
  const now = nowOf(deps)
  return deps.sql.begin(async (tx) => {
    const [{ taken }] = await queries.tryLockReplays(tx, orgId)
    const [replay] = taken ? await queries.claimReplay(tx, orgId, now) : []
    if (!replay) return false
    if (replay.status === 'paused') {
      await queries.parkReplay(tx, replay.endpoint_id)
      return false
    }
    const [due] = await queries.countDue(tx, replay.endpoint_id, now, MAX_DUE)
    const [pending] = await queries.countPendingReplays(tx, orgId, MAX_PENDING_REPLAYED)
    if (!hasRoom({ due: due.count, pendingOfOrg: pending.count })) {
      await queries.postponeReplay(tx, replay.endpoint_id, new Date(deps.clock() + NO_ROOM_PAUSE_MS).toISOString())
      return false
    }
    const [step] = await queries.stepReplay(tx, orgId, replay, STEP_EVENTS, now)
    if (step && step.created > 0) await notifyDue(tx, orgId)
    return true
  })
}

const nowOf = ({ clock }: Deps) => new Date(clock()).toISOString()
