import { isSpanContextValid, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api'
import type { Envelope } from '../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../proto/services.ts'
import type { Tx } from '../db/client.ts'
import { inEventSpan } from '../traces/traces.ts'
import type { ConsumeOptions } from './options.ts'

/** Runs the handler of a consumer in the trace of the event, so that the events it emits belong to the same trace. */
export function handleEvent({ name, handle, service }: HandledBy, tx: Tx, event: Envelope): Promise<void> {
  const emitted = remoteSpan(event.traceparent)
  const parent = emitted ? trace.setSpanContext(ROOT_CONTEXT, emitted) : ROOT_CONTEXT
  return inEventSpan({ service, consumer: name, type: event.type, parent }, async () => handle(tx, event))
}

type HandledBy = Pick<ConsumeOptions, 'name' | 'handle'> & { service: ServiceName }

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span in which the event was emitted. */
function remoteSpan(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (!traceId || !spanId || !flags) return undefined
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}
