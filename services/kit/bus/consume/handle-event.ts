import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import type { Tx } from '../../db/client.ts'
import { contextOf, inEventSpan } from '../../traces/traces.ts'
import type { ConsumeOptions } from '../driver/options.ts'

type HandledBy = ConsumeOptions & { service: ServiceName }

/**
 * Runs the handler of a consumer in the traces of the events, so that what it emits belongs to them. With several
 * events the handler is one of batches.
 */
export function handleEvents(consumer: HandledBy, tx: Tx, events: readonly Envelope[]): Promise<void> {
  const within = (work: () => Promise<void>, { type, traceparent }: Envelope) => {
    const parent = contextOf(traceparent)
    return () => inEventSpan({ service: consumer.service, consumer: consumer.name, type, parent }, work)
  }
  const handle = async () => {
    if (consumer.handleAll) return consumer.handleAll(tx, events)
    for (const event of events) await consumer.handle(tx, event)
  }
  return events.reduce(within, handle)()
}
