import { SERVICES, type ServiceName } from '../../proto/services.ts'
import type { TestDatabase } from './database.ts'
import { Ingress } from './ingress/ingress.ts'
import { type ServiceProcess, startService, stopService } from './processes.ts'

/** Pause before SIGTERM, as `preStopSeconds` of the chart: requests that the ingress sent before are read meanwhile. */
const PRE_STOP_MS = 300

/** How a replica ended. */
interface ReplicaEnd {
  service: ServiceName
  exitCode: number
  tookMs: number
}

interface DeploymentOptions {
  db: Pick<TestDatabase, 'name' | 'urlOf' | 'readUrlOf'>
  natsUrl: string | undefined
  /** Environment of all services. */
  env?: Record<string, string>
  /** Of each service. Default: 2. */
  replicas?: number
}

/** Replicas of each service as processes behind an ingress. */
export class Deployment {
  readonly ingress = new Ingress()
  readonly #replicas = new Map<ServiceName, ServiceProcess[]>()
  #options: DeploymentOptions

  private constructor(options: DeploymentOptions) {
    this.#options = options
  }

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const deployment = new Deployment(options)
    for (const service of SERVICES) {
      await Promise.all(Array.from({ length: options.replicas ?? 2 }, () => deployment.#add(service)))
    }
    return deployment
  }

  get url(): string {
    return this.ingress.url
  }

  /** The replicas of a service, the oldest first. */
  replicasOf(service: ServiceName): readonly ServiceProcess[] {
    return this.#replicas.get(service) ?? []
  }

  /**
   * Replaces the replicas of the services, those of each one after the other, with changed options if given: a new one
   * becomes ready, the ingress stops sending to the old one, and after a pause the old one gets SIGTERM.
   */
  async roll(services: readonly ServiceName[], change: Partial<DeploymentOptions> = {}): Promise<ReplicaEnd[]> {
    this.#options = { ...this.#options, ...change }
    const ends = await Promise.all(services.map((service) => this.#rollOne(service)))
    return ends.flat()
  }

  async #rollOne(service: ServiceName): Promise<ReplicaEnd[]> {
    const ends: ReplicaEnd[] = []
    for (const old of [...this.replicasOf(service)]) {
      await this.#add(service)
      ends.push(await this.#remove(service, old))
    }
    return ends
  }

  /** Kills every replica without notice. */
  async kill(): Promise<void> {
    const all = SERVICES.flatMap((service) => this.replicasOf(service))
    await Promise.all(all.map((replica) => stopService(replica, 'SIGKILL')))
    this.ingress.close()
  }

  async stop(): Promise<ReplicaEnd[]> {
    const all = SERVICES.flatMap((service) => this.replicasOf(service).map((replica) => [service, replica] as const))
    const ends = await Promise.all(all.map(([service, replica]) => this.#remove(service, replica)))
    this.ingress.close()
    return ends
  }

  async #add(service: ServiceName): Promise<void> {
    const { db, natsUrl, env } = this.#options
    const replica = await startService(service, db, natsUrl, env)
    this.#replicas.set(service, [...this.replicasOf(service), replica])
    this.ingress.add(service, replica.client.url)
  }

  async #remove(service: ServiceName, replica: ServiceProcess): Promise<ReplicaEnd> {
    this.ingress.remove(service, replica.client.url)
    this.#replicas.set(
      service,
      this.replicasOf(service).filter((other) => other !== replica),
    )
    await Bun.sleep(PRE_STOP_MS)
    const began = performance.now()
    return { service, exitCode: await stopService(replica, 'SIGTERM'), tookMs: performance.now() - began }
  }
}
