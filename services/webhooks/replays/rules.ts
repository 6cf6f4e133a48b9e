import { MAX_PENDING_REPLAYED } from '../../../proto/http/webhooks/endpoint-operations.ts'

export { MAX_PENDING_REPLAYED }

/** Events that one step looks at, and so the most deliveries that it creates. */
export const STEP_EVENTS = 500
/** A replay waits while so many deliveries of its endpoint are due, because new events wait behind them. */
export const MAX_DUE = 1000

/** Whether a step may create deliveries. */
export const hasRoom = ({ due, pendingOfOrg }: { due: number; pendingOfOrg: number }) =>
  due + STEP_EVENTS <= MAX_DUE && pendingOfOrg + STEP_EVENTS <= MAX_PENDING_REPLAYED
