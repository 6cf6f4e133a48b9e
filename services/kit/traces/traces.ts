import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { ServiceName } from '../../../proto/services.ts'
import type { TraceSettings } from './settings.ts'

/** One tracer for each service, because `service.name` belongs to the provider. Empty while traces are off. */
const tracers = new Map<ServiceName, Tracer>()

/** The service to which the work of a context belongs. */
const SERVICE = createContextKey('service')

interface TraceOptions extends TraceSettings {
  services: readonly ServiceName[]
  /** Receives the error of the last export, whose spans are lost. It does not fail the stop. */
  onLoss(error: unknown): void
}

/** Exports traces to the endpoint. Without one the SDK is not loaded. Returns a function that stops it. */
export async function startTraces({ services, onLoss, ...settings }: TraceOptions): Promise<() => Promise<void>> {
  const { endpoint, version } = settings
  if (endpoint === undefined) return async () => {}
  const { createProvider, registerGlobals, removeGlobals } = await import('./sdk.ts')
  registerGlobals()
  const providers = services.map((service) => {
    const provider = createProvider(service, { ...settings, endpoint })
    tracers.set(service, provider.getTracer('marketplace', version))
    return provider
  })
  return async () => {
    for (const service of services) tracers.delete(service)
    await Promise.all(providers.map((provider) => provider.shutdown().catch(onLoss)))
    removeGlobals()
  }
}

/** The trace of the current request; undefined while traces are off. */
export const activeTraceId = (): string | undefined =>
  tracers.size > 0 ? trace.getActiveSpan()?.spanContext().traceId : undefined

interface TracedRequest {
  service: ServiceName
  operation: { id: string; method: string; path: string }
  state: { request: Request; span: Span | undefined }
}

/** Runs a request inside a span that continues the caller's trace. It costs nothing while traces are off. */
export function inRequestSpan<T>({ service, operation, state }: TracedRequest, work: () => T): T {
  const tracer = tracers.get(service)
  if (!tracer) return work()
  const { method, headers } = state.request
  const { id, path } = operation
  const attributes = { 'http.request.method': method, 'http.route': path, 'marketplace.operation': id }
  const caller = propagation.extract(ROOT_CONTEXT, Object.fromEntries(headers))
  const parent = caller.setValue(SERVICE, service)
  return tracer.startActiveSpan(`${method} ${path}`, { kind: SpanKind.SERVER, attributes }, parent, (span) => {
    state.span = span
    return work()
  })
}

/** Runs work in a span that was started before. */
export const inSpan = <T>(span: Span | undefined, work: () => T): T =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work()

export function endRequestSpan(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The context of the span in which an event was emitted; the root without a valid one. */
export function contextOf(traceparent: string | null | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT
}

interface TracedCall {
  service: ServiceName
  name: string
  attributes: Attributes
  /** Of the event that the call continues. */
  traceparent: string | null
}

/** Sends a request to another system inside a span that continues the trace of an event. No status is an error. */
export async function inCallSpan<T extends { status: number | null }>(
  { service, name, attributes, traceparent }: TracedCall,
  work: () => Promise<T>,
): Promise<T> {
  const within = contextOf(traceparent).setValue(SERVICE, service)
  const span = childSpan(name, SpanKind.CLIENT, attributes, Date.now(), within)
  const result = await work()
  if (result.status === null) span?.setStatus({ code: SpanStatusCode.ERROR })
  else span?.setAttribute('http.response.status_code', result.status)
  span?.end()
  return result
}

interface TracedEvent {
  service: ServiceName
  consumer: string
  type: string
  /** The span in which the event was emitted. */
  parent: Context
}

/** Handles an event inside a span that continues the trace in which it was emitted. */
export function inEventSpan<T>({ service, consumer, type, parent }: TracedEvent, work: () => Promise<T>): Promise<T> {
  const tracer = tracers.get(service)
  if (!tracer) return context.with(parent, work)
  const attributes = {
    'messaging.operation.type': 'process',
    'messaging.destination.name': type,
    'messaging.consumer.group.name': consumer,
  }
  const options = { kind: SpanKind.CONSUMER, attributes }
  return tracer.startActiveSpan(`process ${type}`, options, parent.setValue(SERVICE, service), (span) =>
    work().then(
      (answer) => {
        span.end()
        return answer
      },
      (error) => {
        span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        throw error
      },
    ),
  )
}

/** A span of the emitted event, whose context its consumers continue. Undefined outside of a trace. */
export function producerSpan(type: string): Span | undefined {
  const attributes = { 'messaging.operation.type': 'send', 'messaging.destination.name': type }
  return childSpan(`send ${type}`, SpanKind.PRODUCER, attributes, Date.now())
}

/** A span within that of a request or an event, in the service to which that belongs. */
export function childSpan(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  startTime: number,
  within: Context = context.active(),
): Span | undefined {
  const tracer = tracers.get(within.getValue(SERVICE) as ServiceName)
  return tracer?.startSpan(name, { kind, attributes, startTime }, within)
}
