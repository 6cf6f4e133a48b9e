import type { Gauge } from 'prom-client'

/** Removes the series of a gauge, so that it is absent and not zero. */
export function clear(gauge: Gauge<string>): void {
  gauge.reset()
  // A gauge without labels is reset to zero. The types lack the names of the labels.
  if ((gauge as unknown as { labelNames: string[] }).labelNames.length === 0) gauge.remove()
}
