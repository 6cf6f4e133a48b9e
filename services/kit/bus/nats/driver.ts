import type { ServiceName } from '../../../../proto/services.ts'
import type { MessageLog } from '../../log/message-log.ts'
import type { Driver } from '../driver/driver.ts'
import { byStream, commonFilter } from '../driver/subjects.ts'
import { type NatsAddress, NatsConnection } from './connection.ts'
import { StreamFeed } from './feed.ts'
import { natsPublisher } from './publisher.ts'
import { STREAMS } from './streams.ts'
import { subscribeToStreams } from './subscription.ts'

interface NatsDriverOptions {
  service: ServiceName
  log: MessageLog
  onHeartbeat: (service: string) => void
}

/** The bus on JetStream: the relay publishes, and consumers and subscribers read the streams. */
export function natsDriver(address: NatsAddress, { service, log, onHeartbeat }: NatsDriverOptions): Driver {
  const connection = new NatsConnection(address, `marketplace-${service}`, log)
  connection.onConnect(({ nc, names }) => {
    const before = names.heartbeat('')
    nc.subscribe(names.heartbeat('*'), {
      callback: (_error, message) => onHeartbeat(message.subject.slice(before.length)),
    })
  })
  return {
    sources: STREAMS,
    publisher: natsPublisher(service, () => connection.session, log),
    feeds({ subjects, wake, positionIn }, ends) {
      return [...byStream(subjects)].map(([stream, ofStream]) => {
        const position = () => positionIn(stream)
        const feed = new StreamFeed({ connection, stream, filter: commonFilter(ofStream), position, log, wake })
        void feed.run(ends)
        return feed
      })
    },
    subscribe: (receiver) => subscribeToStreams(connection, receiver, log),
    isConnected: () => connection.session !== undefined,
    close: () => connection.close(),
  }
}
