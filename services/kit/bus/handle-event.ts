import { context, isSpanContextValid, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api'
import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Tx } from '../db/client.ts'
import type { ConsumeOptions } from './options.ts'

/** Runs the handler of a consumer in the trace of the event, so that the events it emits belong to the same trace. */
export function handleEvent({ handle }: ConsumeOptions, tx: Tx, event: Envelope): Promise<void> {
  const parent = remoteSpan(event.traceparent)
  const scope = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  return context.with(scope, async () => handle(tx, event))
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span in which the event was emitted. */
function remoteSpan(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (!traceId || !spanId || !flags) return undefined
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}
