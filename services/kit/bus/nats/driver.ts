import type { Driver, DriverOptions, FeedRequest } from '../driver.ts'
import { listCursors } from '../queries.ts'
import { byStream } from '../subjects.ts'
import { type NatsAddress, NatsConnection } from './connection.ts'
import { durableName } from './durable-consumer.ts'
import { StreamFeed } from './feed.ts'
import { natsPublisher } from './publisher.ts'
import { filterOf, HEARTBEAT_SUBJECT } from './streams.ts'
import { subscribeToStreams } from './subscription.ts'

/** The bus on JetStream: the relay publishes, durable consumers read, and each subscriber has an ephemeral consumer. */
export function natsDriver(address: NatsAddress, { service, pool, log, heartbeats }: DriverOptions): Driver {
  const connection = new NatsConnection(address, `marketplace-${service}`, log)
  connection.onConnect(({ nc }) => {
    nc.subscribe(`${HEARTBEAT_SUBJECT}.*`, {
      callback: (_error, message) => heartbeats.record(message.subject.slice(HEARTBEAT_SUBJECT.length + 1)),
    })
  })
  const durableOf = ({ name }: Pick<FeedRequest, 'name'>) => durableName(service, name)
  return {
    publisher: natsPublisher(service, () => connection.session, log),
    async feeds(consumer, ends) {
      return [...byStream(consumer.subjects)].map(([stream, subjects]) => {
        const feed = new StreamFeed({
          connection,
          stream,
          durable: durableOf(consumer),
          filter: filterOf(stream, subjects),
          async position() {
            const cursors = await listCursors(pool, consumer.name)
            return cursors.find(({ source }) => source === stream) ?? { epoch: null, seq: '0' }
          },
          log,
          onMessages: consumer.wake.notify,
        })
        void feed.run(ends)
        return feed
      })
    },
    wakeOnEvents: () => () => {},
    subscribe: (subscriber) => subscribeToStreams(connection, subscriber, log),
    async lag(consumer) {
      const { session } = connection
      if (!session) throw new Error('NATS cannot be reached')
      const streams = [...byStream(consumer.subjects).keys()]
      const infos = await Promise.all(streams.map((stream) => session.jsm.consumers.info(stream, durableOf(consumer))))
      return infos.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0)
    },
    close: () => connection.close(),
  }
}
