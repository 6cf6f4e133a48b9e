import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

let enabled = false

/** Starts sending traces when there is somewhere to send them; otherwise nothing of the SDK is loaded. Answers how to stop. */
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

/** The trace that the work of this moment belongs to; undefined while traces are off. */
export const activeTraceId = (): string | undefined =>
  enabled ? trace.getActiveSpan()?.spanContext().traceId : undefined

/** Runs a request inside a span that continues the caller's trace; costs nothing while traces are off. */
export function inRequestSpan(
  operation: string,
  request: Request,
  work: () => Promise<Response> | Response,
): Promise<Response> | Response {
  if (!enabled) return work()
  const parent = propagation.extract(context.active(), Object.fromEntries(request.headers))
  return trace
    .getTracer('marketplace')
    .startActiveSpan(operation, { kind: SpanKind.SERVER }, parent, async (span: Span) => {
      try {
        const response = await work()
        span.setAttributes({
          'http.request.method': request.method,
          'http.response.status_code': response.status,
        })
        if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        return response
      } finally {
        span.end()
      }
    })
}
