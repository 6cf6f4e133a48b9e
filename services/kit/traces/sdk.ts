import { context, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TraceSettings } from './settings.ts'

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
export function createProvider(service: string, settings: TraceSettings & { endpoint: string }): TracerProvider {
  const url = `${settings.endpoint.replace(/\/$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS })
  return new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'marketplace',
      'service.instance.id': INSTANCE,
      ...settings.resourceAttributes,
      'service.name': service,
      'service.version': settings.version,
    }),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS })],
  })
}

/** Of this process. */
const INSTANCE = crypto.randomUUID()

/** The sampler of the specification's names. */
function samplerOf({ sampler, samplerRatio }: TraceSettings): Sampler {
  const [, isParentBased, name] = /^(parentbased_)?(\w+)$/.exec(sampler) ?? []
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(samplerRatio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler()
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

const EXPORT_INTERVAL_MS = 1000
/** Time for one export with its retries. A stop waits as long for a collector that does not answer. */
const EXPORT_TIMEOUT_MS = 3000
