import { Gauge, type Registry } from 'prom-client'
import { shared } from '../answers/shared.ts'

/** Adds a gauge that is filled from a measurement at each scrape. What it does not fill is absent, not zero. */
type AddGauge<Measured> = (
  name: string,
  help: string,
  labelNames: string[],
  fill: (gauge: Gauge<string>, measured: Measured | undefined) => void,
) => void

/** Gauges that share one measurement at each scrape. It is undefined when it fails. */
export function measuredGauges<Measured>(
  registry: Registry,
  measure: () => Promise<Measured | undefined>,
): AddGauge<Measured> {
  const measureOnce = shared(() => measure().catch(() => undefined))
  return (name, help, labelNames, fill) => {
    new Gauge<string>({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const measured = await measureOnce()
        this.reset()
        // A gauge without labels is reset to zero.
        if (labelNames.length === 0) this.remove()
        fill(this, measured)
      },
    })
  }
}
