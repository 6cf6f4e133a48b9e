import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { until } from '../../../services/testing/until.ts'
import { installHelm } from '../../toolchain/chart-tools.ts'
import { BUN, commandFile, ROOT } from '../../toolchain/checkout.ts'
import { startCluster } from '../../toolchain/cluster.ts'
import { type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { succeeds } from '../../toolchain/installation.ts'
import { freePort } from '../../toolchain/ports.ts'
import { startProgram } from '../../toolchain/programs.ts'
import { run } from '../../toolchain/run.ts'
import { findState, type State } from '../../toolchain/state.ts'
import { installNats, installVersitygw } from '../../toolchain/test-servers.ts'
import { buildWithoutRegistry, IMAGE, mustRun } from '../image/build.ts'
import { type Backends, type Ingress, startIngress } from './ingress.ts'
import { type Pod, playable } from './manifests.ts'

const NETWORK = 'marketplace-play'
const EMAIL = 'ada.berg@example.com'
const BUCKET = 'marketplace'

/** What the pods use, on the address of this machine in their network. */
interface Servers {
  host: string
  databasePort: number
  natsUrl: string
  s3Url: string
}

/**
 * Plays the rendered chart with podman, against a real Postgres, NATS and S3 store of this machine, and the demo
 * against it. Podman has no hooks, no Ingress, no network policies and no probes on a timer: this checks none of them.
 */
async function play(lifecycle: Lifecycle): Promise<number> {
  const { onStop, progress } = lifecycle
  if (!(await succeeds(['podman', '--version']))) throw new CommandError('The chart is played with podman: install it.')
  if (!(await succeeds(['podman', 'image', 'exists', IMAGE]))) await buildWithoutRegistry()
  const state = await findState()
  const folder = join(state.folder, 'play')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o711 })
  onStop(() => rm(folder, { recursive: true, force: true }))
  const secrets = Object.fromEntries([...SERVICES, 'owner'].map((name) => [`${name}-password`, crypto.randomUUID()]))
  const host = await createNetwork(lifecycle)
  const servers = await startServers({ host, folder, state, secrets }, lifecycle)
  await createSecrets(folder, secrets, lifecycle)

  const port = freePort()
  const publicUrl = `http://localhost:${port}`
  const { configMap, jobs, services } = playable(await render(folder, publicUrl, servers, lifecycle), freePort)
  const start = async (pod: Pod) => {
    const file = join(folder, `${pod.name}.yaml`)
    await Bun.write(file, [configMap, pod.manifest].map((manifest) => JSON.stringify(manifest)).join('\n---\n'))
    onStop(() => remove('pod', pod.name))
    await mustRun(['podman', 'kube', 'play', '--network', NETWORK, file])
  }
  for (const job of jobs) {
    await start(job)
    await succeed(job)
    progress(`${job.name} has succeeded`)
  }
  for (const service of services) await start(service)
  const ingress = await route(services, port)
  onStop(ingress.stop)
  progress(`${services.length} pods of services answer at ${publicUrl}`)
  const link = await logOf(jobs.find(({ name }) => name.includes('bootstrap')))
  const code = await playDemo(ingress.url, link, progress)
  return code === 0 ? stopAll(services, progress) : code
}

/** Removes what an earlier run may have left, or this one created. */
const remove = async (kind: 'pod' | 'network' | 'secret', name: string) => {
  await run(['podman', kind, 'rm', ...(kind === 'secret' ? [] : ['--force']), name])
}

/** Waits until each replica answers, and starts the proxy in front of them. */
async function route(services: readonly (Pod & { port: number })[], port: number): Promise<Ingress> {
  const urlOf = (replica: { port: number }) => `http://127.0.0.1:${replica.port}`
  for (const replica of services) {
    const answers = async () => (await fetch(urlOf(replica)).catch(() => undefined)) !== undefined
    await until(answers, { withinMs: 60_000, what: `${replica.name} to answer` })
  }
  const backends = SERVICES.map((name) => {
    const replicas = services.filter(({ container }) => container === name)
    return [name, replicas.map(urlOf)]
  })
  return startIngress(Object.fromEntries(backends) as Backends, port)
}

/** Activates the first administrator, who then plays the demo. Returns its exit code. */
async function playDemo(url: string, link: string, progress: Lifecycle['progress']): Promise<number> {
  const password = crypto.randomUUID()
  await new ApiClient(url).activate(/\/activate#(\S+)/.exec(link)?.[1] ?? '', password)
  const command = [BUN, commandFile('demo'), '--url', url, '--operator', EMAIL]
  const { code, output } = await run(command, { env: { ...process.env, PASSWORD: password } })
  progress(output.trimEnd())
  return code
}

/**
 * The network with a pod that keeps its bridge, so that servers of this machine can listen there. Returns the address.
 */
async function createNetwork({ onStop }: Lifecycle): Promise<string> {
  await remove('pod', NETWORK)
  await remove('network', NETWORK)
  await mustRun(['podman', 'network', 'create', NETWORK])
  onStop(() => remove('network', NETWORK))
  await mustRun(['podman', 'pod', 'create', '--name', NETWORK, '--network', NETWORK])
  onStop(() => remove('pod', NETWORK))
  await mustRun(['podman', 'pod', 'start', NETWORK])
  const format = '{{range .Subnets}}{{.Gateway}}{{end}}'
  return (await mustRun(['podman', 'network', 'inspect', NETWORK, '--format', format])).trim()
}

interface Machine {
  host: string
  folder: string
  state: State
  secrets: Readonly<Record<string, string>>
}

async function startServers({ host, folder, state, secrets }: Machine, lifecycle: Lifecycle): Promise<Servers> {
  const { onStop, signal, progress } = lifecycle
  const access = join(folder, 'pg_hba.conf')
  await Bun.write(access, 'host all all 127.0.0.1/32 scram-sha-256\nhost all all samenet scram-sha-256\n')
  const cluster = await startCluster({
    ...{ state, signal, progress },
    password: secrets['owner-password'] ?? '',
    data: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    settings: { listen_addresses: `127.0.0.1,${host}`, hba_file: access, max_connections: '200' },
  })
  onStop(cluster.stop)
  const [natsPort, natsHealth, s3Port] = [freePort(), freePort(), freePort()]
  const nats = await startProgram({
    name: 'nats-server',
    command: [
      ...[await installNats(lifecycle), '-a', host, '-p', String(natsPort), '-js', '-sd', join(folder, 'nats')],
      ...['-m', String(natsHealth)],
    ],
    env: process.env,
    logFile: join(folder, 'nats.log'),
    readyUrl: `http://${host}:${natsHealth}/healthz`,
  })
  onStop(nats.stop)
  await mkdir(join(folder, 's3', BUCKET), { recursive: true })
  await mkdir(join(folder, 'metadata'))
  const keys = ['--access', 'marketplace', '--secret', secrets['owner-password'] ?? '']
  const s3 = await startProgram({
    name: 'versitygw',
    command: [
      ...[await installVersitygw(lifecycle), '--port', `${host}:${s3Port}`, '--health', '/healthz', ...keys],
      ...['posix', '--sidecar', join(folder, 'metadata'), join(folder, 's3')],
    ],
    env: process.env,
    logFile: join(folder, 's3.log'),
    readyUrl: `http://${host}:${s3Port}/healthz`,
  })
  onStop(s3.stop)
  const [natsUrl, s3Url] = [`nats://${host}:${natsPort}`, `http://${host}:${s3Port}`]
  return { host, databasePort: cluster.port, natsUrl, s3Url }
}

/** Podman stores the data of a Secret as JSON. */
async function createSecrets(folder: string, secrets: Machine['secrets'], { onStop }: Lifecycle): Promise<void> {
  const all = {
    database: secrets,
    encryption: {
      'encryption-keys': `play:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`,
    },
    storage: { 'access-key-id': 'marketplace', 'secret-access-key': secrets['owner-password'] ?? '' },
  }
  for (const [name, values] of Object.entries(all)) {
    const file = join(folder, `${name}.json`)
    const encoded = Object.entries(values).map(([key, value]) => [key, btoa(value)])
    await Bun.write(file, JSON.stringify(Object.fromEntries(encoded)))
    await remove('secret', `${NETWORK}-${name}`)
    await mustRun(['podman', 'secret', 'create', `${NETWORK}-${name}`, file])
    onStop(() => remove('secret', `${NETWORK}-${name}`))
  }
}

async function render(folder: string, publicUrl: string, servers: Servers, lifecycle: Lifecycle): Promise<string> {
  const [repository = '', tag] = IMAGE.split(/:(?=[^:]+$)/)
  const values = {
    publicUrl,
    image: { repository, tag },
    database: {
      ...{ host: servers.host, port: servers.databasePort, name: 'postgres', sslMode: 'disable' },
      existingSecret: `${NETWORK}-database`,
    },
    nats: { url: servers.natsUrl, streamReplicas: 1 },
    storage: { s3: { endpoint: servers.s3Url, bucket: BUCKET, existingSecret: `${NETWORK}-storage` } },
    encryption: { existingSecret: `${NETWORK}-encryption` },
    bootstrap: {
      ...{ enabled: true, email: EMAIL, givenName: 'Ada', familyName: 'Berg' },
      ...{ organization: 'Example Marketplace', region: 'NO' },
    },
  }
  const file = join(folder, 'values.json')
  await Bun.write(file, JSON.stringify(values))
  const chart = join(ROOT, 'charts', 'marketplace')
  return mustRun([await installHelm('4.2.3', lifecycle), 'template', 'play', chart, '--values', file])
}

/** Waits for the end of a Job, which must be 0. */
async function succeed(job: Pod): Promise<void> {
  const code = (await mustRun(['podman', 'wait', `${job.name}-${job.container}`])).trim()
  if (code !== '0') throw new CommandError(`${job.name} ended with ${code}:\n${await logOf(job)}`)
}

const logOf = (pod: Pod | undefined) => mustRun(['podman', 'logs', `${pod?.name}-${pod?.container}`])

/** Each service ends with 0 after SIGTERM. */
async function stopAll(services: readonly Pod[], progress: Lifecycle['progress']): Promise<number> {
  const codes = await Promise.all(
    services.map(async ({ name, container }) => {
      await mustRun(['podman', 'stop', '--time', '30', `${name}-${container}`])
      const format = '{{.State.ExitCode}}'
      return (await mustRun(['podman', 'inspect', `${name}-${container}`, '--format', format])).trim()
    }),
  )
  progress(`Exit codes after SIGTERM: ${codes.join(' ')}`)
  return codes.every((code) => code === '0') ? 0 : 1
}

await runCommand(play)
