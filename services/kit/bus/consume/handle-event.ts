import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import type { Tx } from '../../db/client.ts'
import { contextOf, inEventSpan } from '../../traces/traces.ts'
import type { ConsumeOptions } from '../driver/options.ts'

/** Runs the handler of a consumer in the trace of the event, so that the events it emits belong to the same trace. */
export function handleEvent({ name, handle, service }: HandledBy, tx: Tx, event: Envelope): Promise<void> {
  const parent = contextOf(event.traceparent)
  return inEventSpan({ service, consumer: name, type: event.type, parent }, async () => handle(tx, event))
}

/** Runs the handler of a batch in the traces of all its events. */
export function handleTogether(
  { name, handleAll, service }: Required<Pick<HandledBy, 'handleAll'>> & HandledBy,
  tx: Tx,
  events: readonly Envelope[],
): Promise<void> {
  const within = (work: () => Promise<void>, { type, traceparent }: Envelope) => {
    const parent = contextOf(traceparent)
    return () => inEventSpan({ service, consumer: name, type, parent }, work)
  }
  return events.reduce(within, async () => handleAll(tx, events))()
}

type HandledBy = Pick<ConsumeOptions, 'name' | 'handle' | 'handleAll'> & { service: ServiceName }
