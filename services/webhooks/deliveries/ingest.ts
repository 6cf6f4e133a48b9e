import { timeAt } from '../../../proto/durations.ts'
import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { subscriptionsOf } from '../endpoints/rules.ts'
import { bodyOf } from './body.ts'
import { announceDue, type NewEvent, storeEvents } from './queries.ts'

/** Stores the events of cases and assignments with their deliveries. */
export const ingestWorker = ({ bus, clock }: { bus: Bus; clock: () => number }): Worker =>
  bus.consume({
    name: 'ingest',
    subjects: ['cases.>', 'assignments.>'],
    handleAll: (tx, events) => store(tx, events.flatMap(newEvent), timeAt(clock())),
  })

async function store(tx: Tx, events: readonly NewEvent[], now: string): Promise<void> {
  if (events.length === 0) return
  const stored = await storeEvents(tx, events, now)
  announceDue(
    tx,
    stored.map((row) => row.org_id),
  )
}

/** An event without a tenant concerns no endpoint. */
function newEvent(event: Envelope): NewEvent[] {
  const { id, type, time: timestamp, tenantid: orgId, traceparent = null } = event
  if (orgId === undefined) return []
  return [{ id, type, orgId, timestamp, body: bodyOf(event), traceparent, subscriptions: subscriptionsOf(type) }]
}
