import { join } from 'node:path'
import { installHelm } from '../../../toolchain/chart-tools.ts'
import { ROOT } from '../../../toolchain/checkout.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { run } from '../../../toolchain/run.ts'

export const CHART = join(ROOT, 'charts', 'marketplace')

interface ServiceMonitor {
  spec: {
    jobLabel: string
    endpoints: { port: string; path: string }[]
  }
}

interface Panel {
  title: string
  targets?: { expr: string }[]
}

export interface Dashboard {
  title: string
  templating: { list: { name: string; query: string | { query: string } }[] }
  panels: Panel[]
}

/** What the chart renders for Prometheus and Grafana. */
export interface Monitoring {
  release: string
  namespace: string
  monitor: ServiceMonitor
  rules: { spec: { groups: { rules: { alert: string; expr: string }[] }[] } }
  dashboard: Dashboard
}

/** Renders the ServiceMonitor, the alerts and the dashboard of an installation. */
export async function renderMonitoring(release: string, namespace: string): Promise<Monitoring> {
  const helm = await installHelm('4.2.3', { progress: console.log })
  const enabled = ['serviceMonitor', 'alerts', 'dashboard'].map((name) => `metrics.${name}.enabled=true`).join()
  const { code, output } = await run([
    ...[helm, 'template', release, CHART, '--namespace', namespace],
    ...['--values', join(CHART, 'ci', 'minimal-values.yaml'), '--set', enabled],
    ...['--show-only', 'templates/metrics.yaml'],
  ])
  if (code !== 0) throw new CommandError(output)
  const manifests = Bun.YAML.parse(output) as { kind: string }[]
  const find = <Manifest>(kind: string): Manifest => {
    const found = manifests.find((manifest) => manifest.kind === kind)
    if (!found) throw new Error(`the chart renders no ${kind}`)
    return found as Manifest
  }
  const dashboard = find<{ data: Record<string, string> }>('ConfigMap').data['marketplace.json'] ?? ''
  return {
    release,
    namespace,
    monitor: find('ServiceMonitor'),
    rules: find('PrometheusRule'),
    dashboard: JSON.parse(dashboard),
  }
}
