import type { Dashboard, Panel } from './chart.ts'
import { type Prometheus, SCRAPE_SECONDS, type Series } from './prometheus.ts'

/** A value of a series at a time; null where the query has no number. */
export interface Point {
  time: number
  value: number | null
  series: string
}

/** A panel with the answers of its queries. */
export interface FilledPanel extends Panel {
  points: Point[]
}

interface Range {
  start: number
  end: number
  stepSeconds: number
}

/** Runs the queries of every panel as Grafana does. Refuses a query that is wrong or has no data. */
export async function fill({ templating, panels }: Dashboard, prometheus: Prometheus, range: Range) {
  const variables: Record<string, string> = {
    // The definition of Grafana: four scrapes at least.
    __rate_interval: `${Math.max(range.stepSeconds + SCRAPE_SECONDS, 4 * SCRAPE_SECONDS)}s`,
  }
  const replace = (text: string) =>
    Object.entries(variables).reduce((result, [name, value]) => result.replaceAll(`$${name}`, value), text)
  for (const { name, query } of templating.list) {
    if (typeof query !== 'string') variables[name] = await onlyValue(replace(query.query), prometheus)
  }
  const run = async (title: string, expr: string, legend: string): Promise<Point[]> => {
    const { result } = await prometheus.ask<{ result: Series[] }>('query_range', {
      query: replace(expr),
      start: String(range.start),
      end: String(range.end),
      step: String(range.stepSeconds),
    })
    const points = result.flatMap(({ metric, values }) => {
      const series = legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '')
      return values.map(([time, value]) => ({
        time,
        value: Number.isFinite(Number(value)) ? Number(value) : null,
        series,
      }))
    })
    if (!points.some(({ value }) => value !== null)) throw new Error(`${title} has no data: ${replace(expr)}`)
    return points
  }
  return Promise.all(
    panels.map(async (panel): Promise<FilledPanel> => {
      const answers = (panel.targets ?? []).map(({ expr, legendFormat }) => run(panel.title, expr, legendFormat))
      return { ...panel, points: (await Promise.all(answers)).flat() }
    }),
  )
}

/** The value of a variable that is defined as `label_values(metric, label)`. */
async function onlyValue(query: string, prometheus: Prometheus): Promise<string> {
  const [, metric = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? []
  const values = await prometheus.ask<string[]>(`label/${label}/values`, { 'match[]': metric })
  const [value] = values
  if (value === undefined || values.length > 1) throw new Error(`${query} has the values ${JSON.stringify(values)}`)
  return value
}
