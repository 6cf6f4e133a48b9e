import type { ChangeRequest } from '../../../proto/http/sourcing/change-requests.ts'
import { CHANGE_REQUEST } from '../../../proto/states/change-requests.ts'
import type { Tx } from '../../kit/db/client.ts'
import { type DrainDeps, drainIn } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import type { OrderDeps } from '../orders/followers.ts'
import { lockAnyOrder, lockRfqOf } from '../orders/queries.ts'
import { changeOrder } from './order-changes.ts'
import * as queries from './queries.ts'
import { silenceAt } from './rules.ts'

const POLL_MS = 2000

/** Cancels overdue orders whose manufacturer leaves the request of the consumer unanswered, each in a transaction. */
export const unansweredCancellationWorker = ({ sql, log, now, ...deps }: OrderDeps & DrainDeps): Worker =>
  every('unanswered-cancellations', POLL_MS, log, (signal) =>
    drainIn(
      { sql, log, now, signal, limit: 1 },
      (tx, due) => queries.findUnanswered(tx, { ...silenceAt(due.now), ...due }),
      async (tx, [request], at) => request && takeEffect(tx, deps, request, at),
    ),
  )

/** The order is locked first, so a decision of the manufacturer comes before or after. */
async function takeEffect(
  tx: Tx,
  deps: OrderDeps,
  { id, order_id: orderId }: { id: string; order_id: string },
  now: string,
): Promise<void> {
  await lockRfqOf(tx, orderId)
  const [locked] = await lockAnyOrder(tx, orderId)
  const [row] = await queries.findChangeRequest(tx, orderId, id)
  if (!locked || !row) return
  const request: ChangeRequest = JSON.parse(row.document)
  if (!CHANGE_REQUEST.isLegal('takeEffect', request.state)) return
  const to = CHANGE_REQUEST.stateAfter('takeEffect', request.state)
  await queries.decideChangeRequest(tx, { id, to, isWithoutFee: true }, now)
  const { fee: _, ...change } = request
  const { document, held_state: heldState } = locked
  await changeOrder(tx, deps, { order: JSON.parse(document), heldState }, change, now)
}
