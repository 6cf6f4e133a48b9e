import { EMITTED_BY } from '../../../../proto/events/envelope.ts'
import { SERVICES, type ServiceName } from '../../../../proto/services.ts'
import type { Pool } from '../../db/client.ts'
import type { Driver, DriverOptions } from '../driver.ts'
import type { Listener } from '../notifier.ts'
import { type EventRow, envelopeOf } from '../outbox/envelope.ts'
import { channelOf, findPublished, HEARTBEAT_CHANNEL, markRead, notifyHeartbeat } from '../outbox/queries.ts'
import { countUnread, deleteCursors, listCursors } from '../queries.ts'
import { familyOf, matcherOf } from '../subjects.ts'
import type { Subscriber } from '../subscriber.ts'
import { outboxFeed } from './feed.ts'

const CHANNELS = SERVICES.map(channelOf)
const SERVICE_OF = new Map<string, ServiceName>(SERVICES.map((service) => [channelOf(service), service]))
const MARKED_AT_ONCE = 1000
/** Cursors of consumers that were inactive for this time no longer prevent the deletion of rows. */
const FORGOTTEN_AFTER = '30 days'

/** The bus without a broker: consumers read the outboxes, subscribers receive NOTIFY. */
export function postgresDriver({ service, pool, notifier, log, heartbeats }: DriverOptions): Driver {
  return {
    publisher: {
      async publishPending(session) {
        const { count } = await session.withDeadline(markRead(session.sql, service, FORGOTTEN_AFTER, MARKED_AT_ONCE))
        return count === MARKED_AT_ONCE ? 'more' : 'empty'
      },
      async publishHeartbeat(session) {
        await session.withDeadline(notifyHeartbeat(session.sql, service))
      },
    },
    async feeds({ name, subjects }) {
      const sources = sourcesOf(subjects)
      // An unused cursor would prevent the deletion of rows.
      await deleteCursors(
        pool,
        name,
        SERVICES.filter((service) => !sources.includes(service)),
      )
      return sources.map((source) => outboxFeed(pool, source))
    },
    wakeOnEvents(subjects, wake) {
      const matches = matcherOf(subjects)
      return notifier.listen({
        channels: CHANNELS,
        onNotification: (_channel, payload) => {
          if (matches((JSON.parse(payload) as EventRow).type)) wake.notify()
        },
        onDisconnected() {},
        onListening: wake.notify,
      })
    },
    subscribe: (subscriber) =>
      notifier.listen(
        subscriberListener(subscriber, pool, heartbeats.record.bind(heartbeats), (error) => {
          log.warn({ err: error }, 'event could not be fetched; reloading the state')
        }),
      ),
    async lag({ name }) {
      const cursors = await listCursors(pool, name)
      const known = cursors.filter(({ source }) => (SERVICES as readonly string[]).includes(source))
      const counts = await Promise.all(known.map((cursor) => countUnread(pool, cursor.source as ServiceName, cursor)))
      return counts.reduce((sum, [row]) => sum + (row?.waiting ?? 0), 0)
    },
    async close() {},
  }
}

/** The outboxes that contain these subjects. */
function sourcesOf(subjects: readonly string[]): ServiceName[] {
  const emitters = new Set(subjects.map((subject) => EMITTED_BY[familyOf(subject)]))
  return SERVICES.filter((service) => emitters.has(service))
}

function subscriberListener(
  subscriber: Subscriber,
  pool: Pool,
  onHeartbeat: (service: string) => void,
  onFailure: (error: unknown) => void,
): Listener {
  /** Events are delivered in order, even if one has to be fetched first. */
  let inOrder: Promise<void> | undefined
  const deliver = async (service: ServiceName, notified: EventRow) => {
    try {
      const [row] = notified.data === undefined ? await findPublished(pool, service, notified.id) : [notified]
      if (row) subscriber.receive(envelopeOf(service, row))
    } catch (error) {
      onFailure(error)
      void subscriber.reload()
    }
  }
  return {
    channels: [...CHANNELS, HEARTBEAT_CHANNEL],
    onNotification(channel, payload) {
      const service = SERVICE_OF.get(channel)
      if (!service) return onHeartbeat(payload)
      const notified: EventRow = JSON.parse(payload)
      if (!subscriber.matches(notified.type)) return
      // Delivered synchronously if no fetch is pending, so that a revocation takes effect at once.
      if (!inOrder && notified.data !== undefined) return subscriber.receive(envelopeOf(service, notified))
      const turn = (inOrder ?? Promise.resolve()).then(() => deliver(service, notified))
      inOrder = turn
      void turn.then(() => {
        if (inOrder === turn) inOrder = undefined
      })
    },
    onDisconnected: () => subscriber.disconnected(),
    onListening: () => void subscriber.connected(),
  }
}
