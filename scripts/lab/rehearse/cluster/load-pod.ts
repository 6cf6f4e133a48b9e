import { join } from 'node:path'
import { until } from '../../../../services/testing/until.ts'
import type { Lifecycle } from '../../../toolchain/command.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { freePort } from '../../../toolchain/ports.ts'
import { type Cluster, FULLNAME } from './cluster.ts'
import type { Counts } from './counts.ts'

const NAME = 'rehearsal-load'

export interface Answer {
  counts: Counts
  longestMs: number
  failures: string[]
}

/** A pod with the image of the marketplace that sends the load, and the port by which the rehearsal calls it. */
export class LoadPod {
  readonly #cluster: Cluster
  readonly #url: string

  private constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster
    this.#url = url
  }

  static async create(cluster: Cluster, operatorEmail: string, { onStop }: Lifecycle): Promise<LoadPod> {
    const remove = () => cluster.kubectl('delete', '--ignore-not-found', '--now', `pod/${NAME}`, `configmap/${NAME}`)
    await remove()
    onStop(async () => void (await remove()))
    const folder = (await Bun.$`mktemp -d`.text()).trim()
    onStop(async () => void (await Bun.$`rm -rf ${folder}`))
    const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'program.ts')], target: 'bun', outdir: folder })
    if (!built.success) throw new CommandError(built.logs.join('\n'))
    await cluster.kubectl('create', 'configmap', NAME, `--from-file=${join(folder, 'program.js')}`)
    const file = join(folder, 'pod.json')
    await Bun.write(file, JSON.stringify(podOf(cluster, operatorEmail)))
    await cluster.kubectl('apply', '--filename', file)
    await cluster.kubectl('wait', `pod/${NAME}`, '--for=condition=Ready', '--timeout=2m')
    const port = freePort()
    const forward = Bun.spawn(
      ['kubectl', '--namespace', cluster.given.namespace, 'port-forward', `pod/${NAME}`, `${port}:8080`],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    onStop(async () => {
      forward.kill()
      await forward.exited
    })
    const url = `http://127.0.0.1:${port}`
    await until(async () => (await fetch(`${url}/counts`).catch(() => undefined))?.ok, { what: 'the pod of the load' })
    return new LoadPod(cluster, url)
  }

  async call<T>(name: 'start' | 'counts' | 'stop' | 'missing', body = ''): Promise<T> {
    const response = await fetch(`${this.#url}/${name}`, { method: 'POST', body, signal: AbortSignal.timeout(600_000) })
    const text = await response.text()
    if (!response.ok) throw new CommandError(`the pod of the load: ${text}`)
    return JSON.parse(text)
  }

  /** Stops the load and deletes the pod. */
  async remove(): Promise<void> {
    await this.#cluster.kubectl('delete', '--now', `pod/${NAME}`, `configmap/${NAME}`)
  }
}

function podOf({ values: { image } }: Cluster, operatorEmail: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME },
    spec: {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'load',
          image: `${image.repository}:${image.tag}`,
          command: ['/usr/local/bin/bun', '/load/program.js'],
          env: [
            { name: 'NAME_PREFIX', value: FULLNAME },
            { name: 'OPERATOR_EMAIL', value: operatorEmail },
          ],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          readinessProbe: { tcpSocket: { port: 8080 } },
          volumeMounts: [{ name: 'program', mountPath: '/load' }],
        },
      ],
      volumes: [{ name: 'program', configMap: { name: NAME } }],
    },
  }
}
