import type { ChangeRequest } from '../../../proto/http/sourcing/change-requests.ts'
import { CHANGE_REQUEST } from '../../../proto/states/change-requests.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import type { OrderDeps } from '../orders/followers.ts'
import { lockRfqOf } from '../orders/queries.ts'
import { changeOrder } from './order-changes.ts'
import * as queries from './queries.ts'
import { silenceAt } from './rules.ts'

const BATCH_SIZE = 50
const POLL_MS = 2000

interface WorkerDeps extends OrderDeps {
  sql: Pool
  log: Log
  now: () => string
}

/** Cancels overdue orders whose manufacturer leaves the request of the consumer unanswered. */
export const unansweredCancellationWorker = ({ sql, log, now, ...deps }: WorkerDeps): Worker =>
  every('unanswered-cancellations', POLL_MS, log, async (signal) => {
    const failed: string[] = []
    let taken = BATCH_SIZE
    while (taken === BATCH_SIZE && !signal.aborted) {
      const due = await queries.findUnanswered(sql, { ...silenceAt(now()), except: failed, limit: BATCH_SIZE })
      for (const { id, order_id: orderId } of due) {
        try {
          await takeEffect(sql, deps, { id, orderId }, now())
        } catch (err) {
          // One order must not keep the others from being cancelled; it is tried again in the next round.
          failed.push(id)
          log.error({ err, changeRequestId: id }, 'a cancellation did not take effect')
        }
      }
      taken = due.length
    }
  })

/** The order is locked first, so a decision of the manufacturer comes before or after. */
const takeEffect = (sql: Pool, deps: OrderDeps, { id, orderId }: { id: string; orderId: string }, now: string) =>
  sql.begin(async (tx) => {
    await lockRfqOf(tx, orderId)
    const [locked] = await queries.lockOrder(tx, orderId)
    const [row] = await queries.findChangeRequest(tx, orderId, id)
    if (!locked || !row) return
    const request: ChangeRequest = JSON.parse(row.document)
    if (!CHANGE_REQUEST.isLegal('takeEffect', request.state)) return
    const to = CHANGE_REQUEST.stateAfter('takeEffect', request.state)
    await queries.decideChangeRequest(tx, { id, to, isWithoutFee: true }, now)
    const { fee: _, ...change } = request
    const { document, held_state: heldState } = locked
    await changeOrder(tx, deps, { order: JSON.parse(document), heldState }, change, now)
  })
