import { join } from 'node:path'
import { run } from '../toolchain/run.ts'

type Value = string | number | boolean | null | Value[] | { [key: string]: Value }

/** A change of these is refused where it has no companions; the tests of refusals have them. */
const VALIDATED = [
  'database.maxConnections',
  'database.webhooks.maxConnections',
  'dev.enabled',
  'jobs.serviceAccount.name',
  'storage.s3.platformIdentity',
]

/** Another legal value of a key, where a higher number and the text `other` are none. */
const OTHERS: Record<string, Value> = {
  'nats.secretKeys.url': 'other',
  affinity: { nodeAffinity: { other: true } },
  addressing: 'virtual-host',
  behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
  corsOrigins: ['https://other.example.com'],
  digest: `sha256:${'a'.repeat(64)}`,
  drop: ['NET_RAW'],
  endpoint: 'https://other.example.com:9001',
  env: { OTHER: 1_000_000 },
  extraEgress: [{ ports: [{ port: 7 }] }],
  extraIngress: [{ ports: [{ port: 7 }] }],
  extraHosts: ['other.example.com'],
  extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } }],
  envFrom: [{ secretRef: { name: 'other' } }],
  extraContainers: [{ name: 'other' }],
  initContainers: [{ name: 'other' }],
  interval: '7s',
  ipv4: ['10.1.0.0/16'],
  ipv6: ['fc00:1::/32'],
  listenHost: '::',
  logLevel: 'debug',
  otlpEndpoint: 'https://other.example.com',
  parentRefs: [{ name: 'other' }],
  'mail.from': 'other@example.com',
  metricRelabelings: [{ action: 'labeldrop', regex: 'other' }],
  metrics: [{ type: 'Resource' }],
  minAvailable: 1,
  passwordFile: '/other',
  pathType: 'ImplementationSpecific',
  podSpec: { runtimeClassName: 'other' },
  prometheusUrl: 'http://other:9090',
  publicEndpoint: 'https://other.example.com',
  publicUrl: 'https://other.example.com',
  pullPolicy: 'Always',
  region: 'SE',
  registration: 'approval',
  relabelings: [{ action: 'labeldrop', regex: 'other' }],
  rules: { MarketplaceErrors: { enabled: false } },
  runbookUrl: 'https://other.example.com/',
  scrapeTimeout: '7s',
  secretType: 'credentials',
  securityContact: 'mailto:other@example.com',
  sslMode: 'require',
  strategy: { type: 'Recreate' },
  tolerations: [{ key: 'other' }],
  topologyKeys: ['other'],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'other', whenUnsatisfiable: 'ScheduleAnyway' }],
  tracesSampler: 'always_on',
  tracesSamplerArg: 0.5,
  type: 'NodePort',
  url: 'nats://other:4223',
  volumeMounts: [{ name: 'other', mountPath: '/other' }],
  volumes: [{ name: 'other' }],
  whenUnsatisfiable: 'DoNotSchedule',
}

/** Values of which one differs from that of a scenario. */
function othersOf(path: string, value: Value): Value[] {
  const key = path in OTHERS ? path : (path.split('.').at(-1) ?? '')
  if (key in OTHERS) return [OTHERS[key] ?? null]
  if (/(From|To)$/.test(key)) return [[{ ipBlock: { cidr: '192.0.2.0/24' } }]]
  if (typeof value === 'boolean') return [!value, value]
  if (typeof value === 'number') return [value + 2]
  if (Array.isArray(value)) return [['other']]
  return typeof value === 'object' ? [{ other: 'other' }] : ['other']
}

/** The paths of all values that are no maps, and of empty maps. */
const leavesOf = (value: Value, path: string[] = []): [path: string[], value: Value][] =>
  typeof value === 'object' && value && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
    : [[path, value]]

/** The keys of values.yaml without a row in the README, neither of their own nor of a map around them. */
export function undocumentedValues(values: string, readme: string): string[] {
  const rows = new Set([...readme.matchAll(/^\| ([\w.-]+)(?:\[\d+\])? \| \S+ \|/gm)].map(([, name]) => name))
  return leavesOf(Bun.YAML.parse(values) as Value)
    .filter(([path]) => !path.some((_, at) => rows.has(path.slice(0, at + 1).join('.'))))
    .map(([path]) => path.join('.'))
}

/** Random secrets differ in each rendering. */
export const withoutSecrets = (manifests: string) =>
  manifests.replace(/^( {2}"[\w-]+(?:password|keys)"): \S+$/gm, '$1: random')

/**
 * The keys of values.yaml whose change alters the manifests of no scenario. Those of services are changed for catalog,
 * too.
 */
export async function valuesWithoutEffect(helm: string, chart: string, scenarios: string[], kubernetes: string) {
  const values = Bun.YAML.parse(await Bun.file(join(chart, 'values.yaml')).text()) as { [key: string]: Value }
  const schema = await Bun.file(join(chart, 'values.schema.json')).json()
  const leaves = leavesOf(values).filter(([path]) => path.length !== 2 || path[0] !== 'services')
  const ofServices = leaves.filter(([[key = '']]) => key in schema.definitions.service.properties)
  const waiting = [...leaves, ...ofServices.map(([path, value]) => [['services', 'catalog', ...path], value] as const)]
  const render = async (scenario: string, changes: string[] = []) => {
    const place = ['market', chart, '--kube-version', kubernetes, '--values', join(chart, 'ci', scenario)]
    const env = { ...process.env, GOGC: 'off' }
    const { code, output } = await run([helm, 'template', ...place, ...changes], { env })
    return code === 0 ? withoutSecrets(output) : undefined
  }
  const renderings = await Promise.all(scenarios.map(async (name) => [name, await render(name)] as const))
  const hasEffect = async (name: string, others: Value[]) => {
    for (const [scenario, before] of renderings)
      for (const other of others) {
        const after = await render(scenario, ['--set-json', `${name}=${JSON.stringify(other)}`])
        if (after !== undefined && after !== before) return true
      }
    return false
  }
  const unused: string[] = []
  const work = async () => {
    for (let leaf = waiting.pop(); leaf; leaf = waiting.pop()) {
      const [path, value] = leaf
      const name = path.join('.')
      if (VALIDATED.includes(name)) continue
      if (!(await hasEffect(name, othersOf(name, value)))) unused.push(name)
    }
  }
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work))
  return unused.sort()
}
