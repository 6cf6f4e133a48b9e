import type { ServiceName } from '../../../../proto/services.ts'
import type { MessageLog } from '../../log/log.ts'
import type { Driver } from '../driver/driver.ts'
import { byStream, commonFilter } from '../driver/subjects.ts'
import { NatsConnection } from './connection.ts'
import { StreamFeed } from './feed.ts'
import type { NatsOptions } from './options.ts'
import { natsPublisher } from './publisher.ts'
import { STREAMS } from './streams.ts'
import { subscribeToStreams } from './subscription.ts'

interface NatsDriverOptions {
  service: ServiceName
  log: MessageLog
  onHeartbeat: (service: string) => void
}

/** The bus on JetStream: the relay publishes, and consumers and subscribers read the streams. */
export function natsDriver(options: NatsOptions, { service, log, onHeartbeat }: NatsDriverOptions): Driver {
  const connection = new NatsConnection(options, `marketplace-${service}`, log)
  connection.onConnect(({ nc, names }) => {
    const prefix = names.heartbeat('')
    nc.subscribe(names.heartbeat('*'), {
      callback: (_error, message) => onHeartbeat(message.subject.slice(prefix.length)),
    })
  })
  return {
    sources: STREAMS,
    publisher: natsPublisher(service, () => connection.session, log),
    feeds({ subjects, wake, positionIn }, signal) {
      return [...byStream(subjects)].map(([stream, ofStream]) => {
        const position = () => positionIn(stream)
        const feed = new StreamFeed({ connection, stream, filter: commonFilter(ofStream), position, log, wake })
        void feed.run(signal)
        return feed
      })
    },
    subscribe: (receiver) => subscribeToStreams(connection, receiver, log),
    isConnected: () => connection.session !== undefined,
    close: () => connection.close(),
  }
}
