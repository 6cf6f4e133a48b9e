import { SERVICES } from '../../../../proto/services.ts'
import { until } from '../../../../services/testing/until.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { run } from '../../../toolchain/run.ts'
import { type Cluster, FULLNAME, RELEASE } from './cluster.ts'
import { evictAll } from './evictions.ts'
import { watchReplicas } from './replicas.ts'

const TIMEOUT = '--timeout=10m'
/** The changed value of the first upgrade, which the later ones keep. */
const CHANGED = ['--set', 'config.logLevel=warn']
/** Short, because the image never comes. */
const FAILING = ['--set', 'image.tag=none', '--timeout=40s']
/** Secrets reach the pods within this time. */
const SECRETS_MS = 125_000
const RESTARTS = 10

const JOBS = 'app.kubernetes.io/component=jobs'

/** A step returns what was seen. */
export type Step = readonly [name: string, (cluster: Cluster) => Promise<string | undefined>]

/** Before there is anything to send a load to. */
export const FIRST: readonly Step[] = [
  [
    'first installation, with the name of an image that does not exist',
    async (cluster) => {
      const { code, output } = await cluster.tryHelm(...cluster.upgrade(...FAILING))
      if (code === 0) throw new CommandError('the installation has succeeded')
      const back = await cluster.tryHelm('rollback', RELEASE)
      if (!back.output.includes('release has no 0 version')) throw new CommandError(back.output)
      return `${lastLine(output)} A bare rollback: ${lastLine(back.output)}`
    },
  ],
  [
    'the same command with the right image',
    async (cluster) => {
      await cluster.helm(...cluster.upgrade(TIMEOUT))
      return restartsOf(cluster)
    },
  ],
]

export const UNDER_LOAD: readonly Step[] = [
  ['helm test', async (cluster) => phaseOf(await cluster.helm('test', RELEASE))],
  [
    'upgrade with a changed value: every pod is replaced',
    async (cluster) => {
      const before = await podsOf(cluster)
      await cluster.helm(...cluster.upgrade(...CHANGED, TIMEOUT))
      const kept = (await podsOf(cluster)).filter((name) => before.includes(name))
      if (kept.length > 0) throw new CommandError(`kept: ${kept}`)
      return undefined
    },
  ],
  [
    `${RESTARTS} rolling restarts of sourcing`,
    async (cluster) => {
      for (let at = 0; at < RESTARTS; at++) await restart(cluster, [`deployment/${FULLNAME}-sourcing`])
      return undefined
    },
  ],
  [
    'upgrade that turns autoscaling on',
    async (cluster) => {
      const words = cluster.upgrade(...CHANGED, '--set', 'autoscaling.enabled=true', TIMEOUT)
      return watchReplicas(cluster, () => cluster.helm(...words))
    },
  ],
  [
    'upgrade of the autoscaled release',
    async (cluster) => {
      const words = cluster.upgrade('--set', 'config.logLevel=error,autoscaling.enabled=true', TIMEOUT)
      return watchReplicas(cluster, () => cluster.helm(...words))
    },
  ],
  [
    'rollback to before autoscaling',
    async (cluster) => {
      const revision = (await revisionsOf(cluster)).at(-3)?.revision
      return watchReplicas(cluster, () => cluster.helm('rollback', RELEASE, String(revision), '--wait', TIMEOUT))
    },
  ],
  [
    'upgrade with the name of an image that does not exist, and rollback',
    (cluster) =>
      failAndReturn(cluster, FAILING, async () => {
        const pending = await until(() => pendingMigration(cluster), { withinMs: 35_000, what: 'a pending migration' })
        return `the pod of the migration is Pending, ${pending}`
      }),
  ],
  [
    'upgrade that names a secret that does not exist, and rollback',
    (cluster) => {
      const words = ['--set', 'database.existingSecret=none', '--timeout=2m']
      return failAndReturn(cluster, words, () => messageOf(cluster, JOBS))
    },
  ],
  [
    'upgrade whose pods of sourcing cannot run, and rollback',
    (cluster) => {
      const words = ['--set-string', 'services.sourcing.env.UPLOADS_OPEN_MAX=none', '--timeout=1m']
      return failAndReturn(cluster, words, () => messageOf(cluster, 'app.kubernetes.io/component=sourcing'))
    },
  ],
  ['every pod is evicted, as by the drain of a node', (cluster) => evictAll(cluster, () => podsOf(cluster))],
  ['Postgres is away for ten seconds', ({ given }) => interrupt(given.interruptions.postgres)],
  ['NATS is away for ten seconds', ({ given }) => interrupt(given.interruptions.nats)],
  ['new passwords of the database', rotate],
  ['helm test again', async (cluster) => phaseOf(await cluster.helm('test', RELEASE))],
]

/** Returns what is left, which may only be what was there before. */
export async function uninstall(cluster: Cluster, before: readonly string[]): Promise<string> {
  await cluster.helm('uninstall', RELEASE, '--wait', TIMEOUT)
  // Pods end in their time, and the cluster deletes them with their owners.
  const left = async () => (await cluster.objects()).filter((name) => !before.includes(name))
  await until(async () => (await left()).length === 0, { withinMs: 90_000, what: 'the end of every object' }).catch(
    async () => {
      throw new CommandError(`left: ${(await left()).join(' ')}`)
    },
  )
  return `left: ${before.join(' ')}`
}

/** The three steps of the table in the chart's README, and a restart in which every connection is new. */
async function rotate(cluster: Cluster): Promise<string> {
  const secret = cluster.values.database.existingSecret
  const { data } = await cluster.get<{ data: Record<string, string> }>('secret', secret)
  const keys = SERVICES.map((service) => `${service}-password`)
  const next = Object.fromEntries(keys.map((key) => [key, crypto.randomUUID()]))
  const write = async (passwordOf: (key: string) => string) => {
    const stringData = Object.fromEntries(keys.map((key) => [key, passwordOf(key)]))
    await cluster.kubectl('patch', 'secret', secret, '--patch', JSON.stringify({ stringData }))
    await Bun.sleep(SECRETS_MS)
  }
  await write((key) => `${next[key]}\n${atob(data[key] ?? '')}`)
  const output = await cluster.operate('migrate')
  await write((key) => next[key] ?? '')
  await restart(
    cluster,
    SERVICES.map((service) => `deployment/${FULLNAME}-${service}`),
  )
  return lastLine(output)
}

async function restart(cluster: Cluster, deployments: readonly string[]): Promise<void> {
  await cluster.kubectl('rollout', 'restart', ...deployments)
  for (const name of deployments) await cluster.kubectl('rollout', 'status', name, '--timeout=5m')
}

async function interrupt(command: string | undefined): Promise<string | undefined> {
  if (!command) return 'not played: no command was given'
  const { code, output } = await run(['sh', '-c', command])
  if (code !== 0) throw new CommandError(output)
  // The services connect again.
  await Bun.sleep(5_000)
  return undefined
}

interface State {
  waiting?: { reason: string }
  terminated?: { exitCode: number; message?: string }
}

interface Pod {
  metadata: { name: string; deletionTimestamp?: string }
  status: {
    phase: string
    containerStatuses?: { restartCount: number; state: State; lastState?: State }[]
  }
}

/** Without those that are ending. */
async function listPods(cluster: Cluster, selector: string): Promise<Pod[]> {
  const { items } = await cluster.get<{ items: Pod[] }>('pods', '--selector', selector)
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

/** The pods of the services. */
const SERVING = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component in (${SERVICES})`

const podsOf = async (cluster: Cluster) =>
  (await listPods(cluster, SERVING)).map(({ metadata }) => metadata.name).sort()

export async function restartsOf(cluster: Cluster): Promise<string> {
  const pods = await listPods(cluster, SERVING)
  const restarts = pods.flatMap(({ status }) => status.containerStatuses ?? []).map(({ restartCount }) => restartCount)
  return `${pods.length} pods, ${restarts.reduce((sum, count) => sum + count, 0)} restarts of containers`
}

/**
 * Plays an upgrade that fails, looks at it before it has ended, and returns to the revision before it. The pods that
 * served before must serve afterwards.
 */
async function failAndReturn(cluster: Cluster, words: string[], look: () => Promise<string>): Promise<string> {
  const before = await podsOf(cluster)
  const revision = (await revisionsOf(cluster)).at(-1)?.revision
  const upgrade = cluster.tryHelm(...cluster.upgrade(...CHANGED, ...words))
  const [{ code, output }, seen] = await Promise.all([upgrade, look().catch((error: Error) => error)])
  // As the README says: Helm 3 refuses a rollback beside Jobs that the failed revision does not have.
  await cluster.kubectl('delete', 'job', '--selector', `app.kubernetes.io/instance=${RELEASE},${JOBS}`)
  await cluster.helm('rollback', RELEASE, String(revision), '--wait', TIMEOUT)
  if (seen instanceof Error) throw seen
  if (code === 0) throw new CommandError('the upgrade has succeeded')
  const after = await podsOf(cluster)
  const lost = before.filter((name) => !after.includes(name))
  if (lost.length > 0) throw new CommandError(`replaced: ${lost}`)
  return `${lastLine(output)}; ${seen}`
}

/** Why the pod of the migration waits, which the alert MarketplaceMigrationPending selects by its name and phase. */
async function pendingMigration(cluster: Cluster): Promise<string | undefined> {
  const pods = await listPods(cluster, JOBS)
  const pod = pods.find(({ metadata, status }) => {
    return metadata.name.startsWith(`${FULLNAME}-migrate-`) && status.phase === 'Pending'
  })
  const reason = pod?.status.containerStatuses?.[0]?.state.waiting?.reason
  return reason && /ImagePull/.test(reason) ? reason : undefined
}

/** The message with which a container has ended, as the README shows it. */
async function messageOf(cluster: Cluster, selector: string): Promise<string> {
  const messages = async () => {
    const containers = (await listPods(cluster, selector)).flatMap(({ status }) => status.containerStatuses ?? [])
    const ends = containers.flatMap(({ state, lastState }) => [state.terminated, lastState?.terminated])
    return ends.find((end) => end !== undefined && end.exitCode !== 0)?.message
  }
  return (await until(messages, { withinMs: 60_000, what: 'the message of a failure' })).trim()
}

const revisionsOf = async (cluster: Cluster): Promise<{ revision: number; status: string }[]> =>
  JSON.parse(await cluster.helm('history', RELEASE, '--output', 'json'))

const phaseOf = (output: string) => /Phase:\s+\w+/.exec(output)?.[0]

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''
