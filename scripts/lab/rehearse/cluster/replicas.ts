import { SERVICES } from '../../../../proto/services.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { type Cluster, FULLNAME } from './cluster.ts'

const LEAST = 2
const EVERY_MS = 300

interface Deployment {
  metadata: { name: string }
  spec: { replicas: number }
  status: { readyReplicas?: number }
}

/** Fails if a Deployment wanted or had less than two replicas while the work ran, or soon after it. */
export async function watchReplicas(cluster: Cluster, work: () => Promise<unknown>): Promise<string> {
  const names = SERVICES.map((service) => `deployment/${FULLNAME}-${service}`)
  const fewest = { wanted: Number.POSITIVE_INFINITY, ready: Number.POSITIVE_INFINITY }
  let most = 0
  let working = true
  const looked = (async () => {
    while (working) {
      const { items } = await cluster.get<{ items: Deployment[] }>(...names)
      fewest.wanted = Math.min(fewest.wanted, ...items.map(({ spec }) => spec.replicas))
      most = Math.max(most, ...items.map(({ spec }) => spec.replicas))
      fewest.ready = Math.min(fewest.ready, ...items.map(({ status }) => status.readyReplicas ?? 0))
      await Bun.sleep(EVERY_MS)
    }
  })()
  await work().finally(async () => {
    // Longer than an autoscaler needs to act.
    await Bun.sleep(20_000)
    working = false
    await looked
  })
  const seen = `fewest replicas: ${fewest.wanted} wanted, ${fewest.ready} ready; most: ${most} wanted`
  if (fewest.wanted < LEAST || fewest.ready < LEAST) throw new CommandError(seen)
  return seen
}
