import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { subscriptionsOf } from '../endpoints/rules.ts'
import { notifyDue, storeEvent } from './queries.ts'

/** The body of a delivery. Every attempt sends the same bytes. */
export const bodyOf = ({ id, type, time, tenantid, data }: Envelope) =>
  JSON.stringify({ id, type, timestamp: time, tenant_id: tenantid, data })

/** Stores the events of cases and assignments with their deliveries. An event without a tenant concerns no endpoint. */
export const ingestWorker = ({ bus, clock }: { bus: Bus; clock: () => number }): Worker =>
  bus.consume({
    name: 'webhook-deliveries',
    subjects: ['cases.>', 'assignments.>'],
    async handle(tx, event) {
      const { id, type, time, tenantid } = event
      if (tenantid === undefined) return
      const stored = { id, type, orgId: tenantid, timestamp: time, body: bodyOf(event) }
      await storeEvent(tx, stored, subscriptionsOf(type), new Date(clock()).toISOString())
      await notifyDue(tx)
    },
  })
