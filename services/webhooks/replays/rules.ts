import { MAX_PENDING_REPLAYED } from '../../../proto/http/webhooks/endpoint-flows.ts'

/** The kind of the jobs of replays. A job has the id of its endpoint. */
export const REPLAY = 'webhook-replay'

/** Deliveries that one step creates, at most. */
const STEP_DELIVERIES = 50
/** A replay waits while so many deliveries of its endpoint are due, because new events wait behind them. */
export const MAX_DUE = 100

/** Whether a step may create deliveries. */
export const hasRoom = ({ due, pendingOfOrg }: { due: number; pendingOfOrg: number }) =>
  due + STEP_DELIVERIES <= MAX_DUE && pendingOfOrg + STEP_DELIVERIES <= MAX_PENDING_REPLAYED

const FIRST_STEP_DELIVERIES = 5
const PROBE_MS = 60_000

/**
 * The first step creates few deliveries, which show whether the endpoint fails. One that fails gets one delivery a
 * minute until one succeeds, because each is tried twelve times.
 */
export function paceOf({ failures, deliveries }: { failures: number; deliveries: number }) {
  if (failures >= FIRST_STEP_DELIVERIES) return { deliveries: 1, pauseMs: PROBE_MS }
  return { deliveries: deliveries === 0 ? FIRST_STEP_DELIVERIES : STEP_DELIVERIES, pauseMs: 0 }
}
