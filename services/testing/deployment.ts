import { SERVICES, type ServiceName } from '../../proto/services.ts'
import type { TestDatabase } from './database.ts'
import { Ingress } from './ingress/ingress.ts'
import { type ServiceProcess, startService, stopService } from './processes.ts'

/** Pause before SIGTERM, as `preStopSeconds` of the chart: requests that the ingress sent before are read meanwhile. */
const PRE_STOP_MS = 300

/** How a replica ended. */
export interface ReplicaEnd {
  service: ServiceName
  exitCode: number
  tookMs: number
}

interface DeploymentOptions {
  db: TestDatabase
  natsUrl: string | undefined
  /** Environment of all services. */
  env?: Record<string, string>
}

/** Two replicas of each service as processes behind an ingress. */
export class Deployment {
  readonly ingress = new Ingress()
  readonly #replicas = new Map<ServiceName, ServiceProcess[]>()
  readonly #options: DeploymentOptions

  private constructor(options: DeploymentOptions) {
    this.#options = options
  }

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const deployment = new Deployment(options)
    for (const service of SERVICES) await Promise.all([deployment.#add(service), deployment.#add(service)])
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
   * Replaces the replicas of the services one after the other: a new one becomes ready, the ingress stops sending to the
   * old one, and after a pause the old one gets SIGTERM.
   */
  async roll(services: readonly ServiceName[], env: Record<string, string> = {}): Promise<ReplicaEnd[]> {
    const ends: ReplicaEnd[] = []
    for (const service of services) {
      for (const old of [...this.replicasOf(service)]) {
        await this.#add(service, env)
        ends.push(await this.#remove(service, old))
      }
    }
    return ends
  }

  async stop(): Promise<ReplicaEnd[]> {
    const all = SERVICES.flatMap((service) => this.replicasOf(service).map((replica) => [service, replica] as const))
    const ends = await Promise.all(all.map(([service, replica]) => this.#remove(service, replica)))
    this.ingress.close()
    return ends
  }

  async #add(service: ServiceName, env: Record<string, string> = {}): Promise<void> {
    const { db, natsUrl, env: common } = this.#options
    const replica = await startService(service, db, natsUrl, { ...common, ...env })
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
