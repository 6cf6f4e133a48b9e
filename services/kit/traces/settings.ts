/** What traces are exported, and how. */
export interface TraceSettings {
  endpoint: string | undefined
  version: string
  resourceAttributes: Readonly<Record<string, string>>
  /** A name of OTEL_TRACES_SAMPLER. */
  sampler: string
  /** Share of the requests that a sampler by ratio traces. */
  samplerRatio: number
}
