import { SERVICES } from '../../../../proto/services.ts'
import { until } from '../../../../services/testing/until.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { run } from '../../../toolchain/run.ts'
import { type Cluster, FULLNAME, RELEASE } from './cluster.ts'
import { watchReplicas } from './replicas.ts'

const TIMEOUT = '--timeout=10m'
/** Short, because the image never comes. */
const FAILING = ['--set', 'image.tag=none', '--timeout=40s']
/** Secrets reach the pods within this time. */
const SECRETS_MS = 125_000
const RESTARTS = 10

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
      await cluster.helm(...cluster.upgrade('--set', 'config.logLevel=warn', TIMEOUT))
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
      const words = cluster.upgrade('--set', 'config.logLevel=warn,autoscaling.enabled=true', TIMEOUT)
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
    async (cluster) => {
      const before = await podsOf(cluster)
      const revision = (await revisionsOf(cluster)).at(-1)?.revision
      const failing = cluster.tryHelm(...cluster.upgrade(...FAILING))
      const pending = await until(() => pendingMigration(cluster), { withinMs: 35_000, what: 'a pending migration' })
      const { code, output } = await failing
      if (code === 0) throw new CommandError('the upgrade has succeeded')
      await cluster.helm('rollback', RELEASE, String(revision), '--wait', TIMEOUT)
      const after = await podsOf(cluster)
      if (after.join() !== before.join()) throw new CommandError(`pods were replaced: ${after}`)
      return `${pending}. ${lastLine(output)} Every pod was kept.`
    },
  ],
  ['Postgres is away for ten seconds', ({ given }) => interrupt(given.interruptions.postgres)],
  ['NATS is away for ten seconds', ({ given }) => interrupt(given.interruptions.nats)],
  ['new passwords of the database', rotate],
  ['helm test again', async (cluster) => phaseOf(await cluster.helm('test', RELEASE))],
]

/** Returns what is left, which may only be what was there before. */
export async function uninstall(cluster: Cluster, before: readonly string[]): Promise<string> {
  await cluster.helm('uninstall', RELEASE, '--wait', TIMEOUT)
  const left = (await cluster.objects()).filter((name) => !before.includes(name))
  if (left.length > 0) throw new CommandError(`left: ${left.join(' ')}`)
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
  return undefined
}

interface Pod {
  metadata: { name: string }
  status: {
    phase: string
    containerStatuses?: { restartCount: number; state: { waiting?: { reason: string } } }[]
  }
}

const listPods = async (cluster: Cluster, selector: string) =>
  (await cluster.get<{ items: Pod[] }>('pods', '--selector', selector)).items

/** The pods of the services. */
const SERVING = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component in (${SERVICES})`

const podsOf = async (cluster: Cluster) =>
  (await listPods(cluster, SERVING)).map(({ metadata }) => metadata.name).sort()

export async function restartsOf(cluster: Cluster): Promise<string> {
  const pods = await listPods(cluster, SERVING)
  const restarts = pods.flatMap(({ status }) => status.containerStatuses ?? []).map(({ restartCount }) => restartCount)
  return `${pods.length} pods, ${restarts.reduce((sum, count) => sum + count, 0)} restarts of containers`
}

/** The pod that the alert MarketplaceMigrationPending selects: its name, its phase, and why it waits. */
async function pendingMigration(cluster: Cluster): Promise<string | undefined> {
  const pods = await listPods(cluster, 'app.kubernetes.io/component=jobs')
  const pod = pods.find(({ metadata, status }) => {
    return metadata.name.startsWith(`${FULLNAME}-migrate-`) && status.phase === 'Pending'
  })
  const reason = pod?.status.containerStatuses?.[0]?.state.waiting?.reason
  return reason && /ImagePull/.test(reason) ? `The pod of the migration is Pending: ${reason}` : undefined
}

const revisionsOf = async (cluster: Cluster): Promise<{ revision: number; status: string }[]> =>
  JSON.parse(await cluster.helm('history', RELEASE, '--output', 'json'))

const phaseOf = (output: string) => /Phase:\s+\w+/.exec(output)?.[0]

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''
