import type { Dashboard } from './chart.ts'
import { type Prometheus, SCRAPE_SECONDS, type Series } from './prometheus.ts'

interface Range {
  start: number
  end: number
  stepSeconds: number
}

/** Runs the queries of every panel as Grafana does. Throws for a query that is wrong or has no data. */
export async function requireData({ templating, panels }: Dashboard, prometheus: Prometheus, range: Range) {
  const variables: Record<string, string> = {
    // The definition of Grafana: four scrapes at least.
    __rate_interval: `${Math.max(range.stepSeconds + SCRAPE_SECONDS, 4 * SCRAPE_SECONDS)}s`,
  }
  const replace = (text: string) =>
    Object.entries(variables).reduce((result, [name, value]) => result.replaceAll(`$${name}`, value), text)
  for (const { name, query } of templating.list) {
    if (typeof query !== 'string') variables[name] = await onlyValue(replace(query.query), prometheus)
  }
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const { result } = await prometheus.ask<{ result: Series[] }>('query_range', {
        query: replace(expr),
        start: String(range.start),
        end: String(range.end),
        step: String(range.stepSeconds),
      })
      const values = result.flatMap((series) => series.values.map(([, value]) => Number(value)))
      if (!values.some(Number.isFinite)) throw new Error(`${title} has no data: ${replace(expr)}`)
    }
  }
}

/** The value of a variable that is defined as `label_values(metric, label)`. */
async function onlyValue(query: string, prometheus: Prometheus): Promise<string> {
  const [, metric = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? []
  const values = await prometheus.ask<string[]>(`label/${label}/values`, { 'match[]': metric })
  const [value] = values
  if (value === undefined || values.length > 1) throw new Error(`${query} has the values ${JSON.stringify(values)}`)
  return value
}
