import { NOTIFICATIONS_CONSUMERS } from '../../../proto/events/envelope.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { subscriptionsOf } from '../endpoints/rules.ts'
import { bodyOf } from './body.ts'
import { storeEvent } from './queries.ts'

/** Stores the events of cases and assignments with their deliveries. An event without a tenant concerns no endpoint. */
export const ingestWorker = ({ bus, clock }: { bus: Bus; clock: () => number }): Worker =>
  bus.consume({
    name: NOTIFICATIONS_CONSUMERS.webhooks,
    subjects: ['cases.>', 'assignments.>'],
    async handle(tx, event) {
      const { id, type, time, tenantid, traceparent = null } = event
      if (tenantid === undefined) return
      const stored = { id, type, orgId: tenantid, timestamp: time, body: bodyOf(event), traceparent }
      await storeEvent(tx, stored, subscriptionsOf(type), new Date(clock()).toISOString())
    },
  })
