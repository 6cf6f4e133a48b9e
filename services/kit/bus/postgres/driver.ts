import { EMITTED_BY } from '../../../../proto/events/envelope.ts'
import { SERVICES, type ServiceName } from '../../../../proto/services.ts'
import type { Pool } from '../../db/client.ts'
import type { MessageLog } from '../../log/log.ts'
import type { Listener, Notifier } from '../../sessions/notifier.ts'
import { aborted } from '../../worker/worker.ts'
import type { Driver, EventReceiver } from '../driver/driver.ts'
import { familyOf, matcherOf } from '../driver/subjects.ts'
import { type EventRow, envelopeOf } from '../outbox/envelope.ts'
import {
  channelOf,
  commitsOf,
  findLowestCursor,
  findPublished,
  HEARTBEAT_CHANNEL,
  markRead,
  notifyHeartbeat,
} from '../outbox/queries.ts'
import { outboxFeed } from './feed.ts'

const CHANNELS = SERVICES.map(channelOf)
const SERVICE_OF = new Map<string, ServiceName>(SERVICES.map((service) => [channelOf(service), service]))
const MARKED_AT_ONCE = 1000
/** Cursors of consumers that were inactive for this time no longer prevent the deletion of rows. */
const FORGOTTEN_AFTER = '30 days'

interface PostgresDriverOptions {
  service: ServiceName
  pool: Pool
  notifier: Notifier
  log: MessageLog
  onHeartbeat: (service: string) => void
}

/** The bus without a broker: consumers read the outboxes, subscribers receive NOTIFY. */
export function postgresDriver({ service, pool, notifier, log, onHeartbeat }: PostgresDriverOptions): Driver {
  return {
    sources: SERVICES,
    publisher: {
      async publishPending(session) {
        const lowest = await session.withDeadline(
          Promise.all(SERVICES.map((reader) => findLowestCursor(session.sql, { reader, service }, FORGOTTEN_AFTER))),
        )
        const read = lowest.flatMap(([row]) => row?.low ?? [])
        const { count } = await session.withDeadline(markRead(session.sql, read, MARKED_AT_ONCE))
        return count === MARKED_AT_ONCE ? 'more' : 'empty'
      },
      async publishHeartbeat(session) {
        await session.withDeadline(notifyHeartbeat(session.sql, service))
      },
    },
    feeds({ subjects, wake }, signal) {
      const matches = matcherOf(subjects)
      const sources = sourcesOf(subjects)
      const stop = notifier.onCommit(sources.map(commitsOf), (types) => {
        if (!types || types.some(matches)) wake.notify()
      })
      void aborted(signal).then(stop)
      return sources.map((source) => outboxFeed(pool, source))
    },
    subscribe: (receiver) =>
      notifier.listen(
        receiverListener(receiver, pool, onHeartbeat, (error) => {
          log.warn({ err: error }, 'event could not be fetched; reloading the state')
        }),
      ),
    isConnected: () => true,
    async close() {},
  }
}

/** The outboxes that contain these subjects. */
function sourcesOf(subjects: readonly string[]): ServiceName[] {
  const emitters = new Set(subjects.map((subject) => EMITTED_BY[familyOf(subject)]))
  return SERVICES.filter((service) => emitters.has(service))
}

function receiverListener(
  receiver: EventReceiver,
  pool: Pool,
  onHeartbeat: (service: string) => void,
  onFailure: (error: unknown) => void,
): Listener {
  /** Events are delivered in order, even if one has to be fetched first. */
  let lastDelivery: Promise<void> | undefined
  const deliver = async (service: ServiceName, notified: EventRow) => {
    try {
      const [row] = notified.data === undefined ? await findPublished(pool, service, notified.id) : [notified]
      if (row) receiver.receive(envelopeOf(service, row))
    } catch (error) {
      onFailure(error)
      void receiver.reload()
    }
  }
  return {
    channels: [...CHANNELS, HEARTBEAT_CHANNEL],
    onNotification(channel, payload) {
      const service = SERVICE_OF.get(channel)
      if (!service) return onHeartbeat(payload)
      const notified: EventRow = JSON.parse(payload)
      if (!receiver.matches(notified.type)) return
      // Delivered synchronously if no fetch is pending, so that a revocation takes effect immediately.
      if (!lastDelivery && notified.data !== undefined) return receiver.receive(envelopeOf(service, notified))
      const delivery = (lastDelivery ?? Promise.resolve()).then(() => deliver(service, notified))
      lastDelivery = delivery
      void delivery.then(() => {
        if (lastDelivery === delivery) lastDelivery = undefined
      })
    },
    onDisconnected: () => receiver.disconnected(),
    onListening: () => void receiver.connected(),
  }
}
