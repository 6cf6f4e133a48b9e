import type { Envelope } from '../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../proto/services.ts'
import type { Tx } from '../db/client.ts'
import { contextOf, inEventSpan } from '../traces/traces.ts'
import type { ConsumeOptions } from './options.ts'

/** Runs the handler of a consumer in the trace of the event, so that the events it emits belong to the same trace. */
export function handleEvent({ name, handle, service }: HandledBy, tx: Tx, event: Envelope): Promise<void> {
  const parent = contextOf(event.traceparent)
  return inEventSpan({ service, consumer: name, type: event.type, parent }, async () => handle(tx, event))
}

type HandledBy = Pick<ConsumeOptions, 'name' | 'handle'> & { service: ServiceName }
