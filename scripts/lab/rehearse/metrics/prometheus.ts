import { join } from 'node:path'
import type { ServiceName } from '../../../../proto/services.ts'
import { freePort } from '../../../toolchain/ports.ts'
import { type RunningProgram, startProgram } from '../../../toolchain/programs.ts'
import type { Monitoring } from './chart.ts'

/** A replica whose metrics are read. */
export interface Target {
  service: ServiceName
  pod: string
  /** Host and port. */
  address: string
}

export interface Series {
  metric: Record<string, string>
  /** Seconds since 1970, and the value as text. */
  values: [number, string][]
}

interface PrometheusOptions {
  program: string
  monitoring: Monitoring
  targets: readonly Target[]
  /** For its configuration, data and log. */
  folder: string
}

export const SCRAPE_SECONDS = 1

/** A label of a Kubernetes Service, as the discovery of Prometheus names it. */
const discovered = (label: string) => `__meta_kubernetes_service_label_${label.replace(/\W/g, '_')}`

/** What the Prometheus Operator writes for a ServiceMonitor, with fixed targets instead of those of a cluster. */
function configuration({ monitor, namespace, release }: Monitoring, targets: readonly Target[]) {
  const { jobLabel, endpoints } = monitor.spec
  return {
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: endpoints.map(({ port, path }) => ({
      job_name: port,
      metrics_path: path,
      static_configs: targets.map(({ service, pod, address }) => ({
        targets: [address],
        labels: {
          namespace,
          pod,
          endpoint: port,
          service: `${release}-marketplace-${service}`,
          [discovered('app.kubernetes.io/instance')]: release,
          [discovered('app.kubernetes.io/component')]: service,
        },
      })),
      relabel_configs: [{ source_labels: [discovered(jobLabel)], target_label: 'job' }],
    })),
  }
}

/** A real Prometheus that scrapes the targets and evaluates the alerts of the chart. */
export class Prometheus {
  readonly #url: string
  readonly #program: RunningProgram

  private constructor(url: string, program: RunningProgram) {
    this.#url = url
    this.#program = program
  }

  static async start({ program, monitoring, targets, folder }: PrometheusOptions): Promise<Prometheus> {
    const [file, address] = [join(folder, 'prometheus.yml'), `127.0.0.1:${freePort()}`]
    // JSON is YAML.
    await Bun.write(file, JSON.stringify(configuration(monitoring, targets)))
    await Bun.write(join(folder, 'rules.yml'), JSON.stringify(monitoring.rules.spec))
    const running = await startProgram({
      name: 'Prometheus',
      command: [
        program,
        `--web.listen-address=${address}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--config.file=${file}`,
      ],
      env: { PATH: process.env.PATH },
      logFile: join(folder, 'prometheus.log'),
      readyUrl: `http://${address}/-/ready`,
    })
    return new Prometheus(`http://${address}`, running)
  }

  stop = () => this.#program.stop()

  /** Asks its HTTP API. */
  async ask<Data>(path: string, parameters: Record<string, string> = {}): Promise<Data> {
    const response = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const answer = (await response.json()) as { status: string; error?: string; data: Data }
    if (answer.status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${answer.error}`)
    return answer.data
  }
}
