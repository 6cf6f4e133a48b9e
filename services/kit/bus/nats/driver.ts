import type { Driver, DriverOptions, FeedRequest } from '../driver.ts'
import { listCursors } from '../queries.ts'
import { byStream } from '../subjects.ts'
import { StreamFeed } from './feed.ts'
import { followStreams } from './follow.ts'
import { Link, type NatsAddress } from './link.ts'
import { natsOutlet } from './outlet.ts'
import { filterOf, HEARTBEAT_SUBJECT } from './streams.ts'

/** The bus on JetStream: the relay publishes, durable consumers read, followers have consumers of their own. */
export function natsDriver(address: NatsAddress, { service, pool, log, heartbeats }: DriverOptions): Driver {
  const link = new Link(address, `marketplace-${service}`, log)
  link.onUp(({ nc }) => {
    nc.subscribe(`${HEARTBEAT_SUBJECT}.*`, {
      callback: (_error, message) => heartbeats.heard(message.subject.slice(HEARTBEAT_SUBJECT.length + 1)),
    })
  })
  const durableOf = ({ name }: Pick<FeedRequest, 'name'>) => `${service}-${name}`
  return {
    outlet: natsOutlet(service, () => link.live, log),
    async feeds(consumer, ends) {
      return [...byStream(consumer.subjects)].map(([stream, subjects]) => {
        const feed = new StreamFeed({
          link,
          stream,
          durable: durableOf(consumer),
          filter: filterOf(stream, subjects),
          async position() {
            const cursors = await listCursors(pool, consumer.name)
            return cursors.find(({ source }) => source === stream) ?? { epoch: null, seq: '0' }
          },
          log,
          onNews: consumer.wake.call,
        })
        void feed.run(ends)
        return feed
      })
    },
    wakes: () => () => {},
    follow: (follower) => followStreams(link, follower, log),
    async lag(consumer) {
      const { live } = link
      if (!live) throw new Error('NATS cannot be reached')
      const streams = [...byStream(consumer.subjects).keys()]
      const infos = await Promise.all(streams.map((stream) => live.jsm.consumers.info(stream, durableOf(consumer))))
      return infos.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0)
    },
    close: () => link.close(),
  }
}
