import { context, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

/** Keeps the active span over asynchronous calls, and reads `traceparent`. */
export function registerGlobals(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

export function removeGlobals(): void {
  context.disable()
  propagation.disable()
}

/** The spans of one service, exported over OTLP. */
export function createProvider(endpoint: string, service: string, version: string): TracerProvider {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS })
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS })],
  })
}

const EXPORT_INTERVAL_MS = 1000
/** Time for one export with its retries. A stop waits as long for a collector that does not answer. */
const EXPORT_TIMEOUT_MS = 3000
