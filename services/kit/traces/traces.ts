import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

let enabled = false

/** Exports traces to the endpoint. Without one the SDK is not loaded. Returns a function that stops it. */
export async function startTraces(
  endpoint: string | undefined,
  service: string,
  version: string,
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {}
  const [{ NodeSDK }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    instrumentations: [],
  })
  sdk.start()
  enabled = true
  return async () => {
    enabled = false
    await sdk.shutdown()
  }
}

/** The trace of the current request; undefined while traces are off. */
export const activeTraceId = (): string | undefined =>
  enabled ? trace.getActiveSpan()?.spanContext().traceId : undefined

/** Runs a request inside a span that continues the caller's trace. It costs nothing while traces are off. */
export function inRequestSpan<T>(
  operation: string,
  state: { request: Request; span: Span | undefined },
  work: () => T,
): T {
  if (!enabled) return work()
  const parent = propagation.extract(context.active(), Object.fromEntries(state.request.headers))
  return trace.getTracer('marketplace').startActiveSpan(operation, { kind: SpanKind.SERVER }, parent, (span) => {
    state.span = span
    return work()
  })
}

/** Runs work in a span that was started before. */
export const inSpan = <T>(span: Span | undefined, work: () => T): T =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work()

export function endRequestSpan(span: Span, method: string, status: number): void {
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
