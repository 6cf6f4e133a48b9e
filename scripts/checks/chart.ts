import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ChartTools, installChartTools } from '../toolchain/chart-tools.ts'
import { CACHE, ROOT } from '../toolchain/checkout.ts'
import { explain } from '../toolchain/command-error.ts'
import { run } from '../toolchain/run.ts'
import { valuesWithoutEffect, withoutSecrets } from './chart-values.ts'
import { type Definition, type Manifest, violationsOf } from './custom-resources.ts'

const CHART = join(ROOT, 'charts', 'marketplace')
const SCENARIOS = (await readdir(join(CHART, 'ci'))).sort()
const RENDERED = join(CACHE, 'chart')
const KUBERNETES_VERSIONS = ['1.34', '1.35', '1.36']
const newest = `${KUBERNETES_VERSIONS.at(-1)}.0`
/**
 * Of these kinds `kubernetes-validate` has no schema. Those of the Gateway API and of KEDA are checked by their
 * definitions.
 */
const DEFINED_KINDS = ['HTTPRoute', 'ScaledObject']
const CUSTOM_KINDS = [
  ...DEFINED_KINDS,
  ...['ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'PodMonitoring', 'Rules'],
  ...['BackendConfig', 'ManagedCertificate', 'HealthCheckPolicy'],
]

const problems: string[] = []

/** Runs a command; its output is a problem unless it succeeds. */
async function must(what: string, command: string[], env = process.env): Promise<string> {
  const { code, output } = await run(command, { env })
  // A validator also prints what passed.
  if (code !== 0) problems.push(`${what}:\n${output.replace(/^INFO .*\n/gm, '').trim()}`)
  return output
}

/**
 * Lints and renders each scenario with both versions of Helm, which must agree but for empty lines and random secrets.
 */
async function render({ helm3, helm4 }: ChartTools): Promise<string[]> {
  const files: string[] = []
  for (const scenario of SCENARIOS) {
    const values = join(CHART, 'ci', scenario)
    const texts: string[] = []
    const place = ['market', CHART, '--namespace', 'market', '--kube-version', newest]
    for (const helm of [helm3, helm4]) {
      await must(`${scenario}: lint`, [helm, 'lint', CHART, '--strict', '--quiet', '--values', values])
      const text = await must(`${scenario}: template`, [helm, 'template', ...place, '--values', values])
      texts.push(withoutSecrets(text).replace(/^\s*\n/gm, ''))
    }
    if (texts[0] !== texts[1]) problems.push(`${scenario}: Helm 3 and Helm 4 render different manifests`)
    const file = join(RENDERED, scenario)
    await Bun.write(file, texts[1] ?? '')
    files.push(file)
  }
  return files
}

/** Writes the manifests of each scenario that no earlier one has: more than half of all are equal. */
async function distinct(files: readonly string[]): Promise<string[]> {
  const known = new Set<string>()
  const written: string[] = []
  for (const file of files) {
    const manifests = (await Bun.file(file).text()).split(/^---$/m).filter((manifest) => !known.has(manifest))
    for (const manifest of manifests) known.add(manifest)
    const target = join(RENDERED, 'distinct', basename(file))
    await Bun.write(target, manifests.join('---'))
    if (manifests.length > 0) written.push(target)
  }
  return written
}

async function validate({ validate }: ChartTools, files: readonly string[]): Promise<void> {
  const env = { ...process.env, PYTHONPATH: validate }
  const program = join(validate, 'bin', 'kubernetes-validate')
  for (const version of KUBERNETES_VERSIONS) {
    const command = ['python3', program, '--kubernetes-version', version, '--strict', ...files]
    const output = await must(`Kubernetes ${version}`, command, env)
    const unknown = output
      .split('\n')
      .filter((line) => line.includes("Couldn't find schema"))
      .filter((line) => !CUSTOM_KINDS.some((kind) => line.includes(`kind ${kind} `)))
    if (unknown.length > 0) problems.push(`Kubernetes ${version}:\n${unknown.join('\n')}`)
  }
}

/** Custom resources, by their definitions. */
async function validateCustom({ definitions }: ChartTools, files: readonly string[]): Promise<void> {
  const known = await Promise.all(
    (await readdir(definitions)).map((name) => readYaml<Definition>(join(definitions, name))),
  )
  const custom = (await Promise.all(files.map((file) => readYaml<Manifest>(file))))
    .flat()
    .filter(({ kind }) => DEFINED_KINDS.includes(kind))
  if (custom.length === 0) problems.push('No scenario has a custom resource.')
  for (const manifest of custom) {
    for (const violation of violationsOf(manifest, known.flat()))
      problems.push(`${manifest.kind} ${manifest.metadata.name}: ${violation}`)
  }
}

/** The documents of a file. */
async function readYaml<T>(path: string): Promise<T[]> {
  const documents = Bun.YAML.parse(await Bun.file(path).text())
  return [documents].flat().filter(Boolean) as T[]
}

/** A CPU limit throttles; requests share the CPU fairly. Tags and the pull policy are choices of the operator. */
const NOT_WANTED = ['--ignore-container-cpu-limit', '--ignore-test', 'container-image-pull-policy']

/** In this scenario the platform assigns the ids of users, as OpenShift does. */
const RESTRICTED = {
  file: join(RENDERED, 'restricted-values.yaml'),
  ignored: 'container-security-context-user-group-id',
}

async function score({ kubeScore }: ChartTools, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const ignored = file === RESTRICTED.file ? ['--ignore-test', RESTRICTED.ignored] : []
    const { output } = await run([kubeScore, 'score', ...NOT_WANTED, ...ignored, '--output-format', 'ci', file])
    const critical = output.split('\n').filter((line) => line.startsWith('[CRITICAL]'))
    if (critical.length > 0 || !output.includes('[OK]')) problems.push(`kube-score of ${file}:\n${critical.join('\n')}`)
  }
}

async function documentation({ helmDocs }: ChartTools): Promise<void> {
  const readme = join(CHART, 'README.md')
  const before = await Bun.file(readme).text()
  await must('helm-docs', [
    helmDocs,
    '--chart-search-root',
    CHART,
    '--sort-values-order',
    'file',
    '--log-level',
    'error',
  ])
  if ((await Bun.file(readme).text()) !== before)
    problems.push('charts/marketplace/README.md was out of date: commit it.')
}

await rm(RENDERED, { recursive: true, force: true })
await mkdir(RENDERED, { recursive: true })
try {
  const tools = await installChartTools({ progress: console.log })
  const files = await render(tools)
  for (const name of await valuesWithoutEffect(tools.helm4, CHART, SCENARIOS.toReversed(), newest))
    problems.push(`values.yaml: ${name} changes nothing in the manifests of any scenario.`)
  await must('helm-unittest', [tools.unittest, '--strict', '--file', 'tests/*_test.yaml', CHART])
  await validate(tools, await distinct(files))
  await validateCustom(tools, files)
  await score(tools, files)
  await documentation(tools)
  await must('compose.yaml', [tools.compose, join(ROOT, 'charts', 'compose.yaml')])
} catch (error) {
  problems.push(explain(error))
}
for (const problem of problems) console.log(problem)
if (problems.length === 0) console.log('The chart and the compose file are valid.')
process.exit(problems.length === 0 ? 0 : 1)
