import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { installHelm, installValidate } from '../toolchain/chart-tools.ts'
import { CACHE, ROOT } from '../toolchain/checkout.ts'
import { explain } from '../toolchain/command-error.ts'
import { run } from '../toolchain/run.ts'
import { withoutSecrets } from './chart-values.ts'

export const CHART = join(ROOT, 'charts', 'marketplace')
export const SCENARIOS = (await readdir(join(CHART, 'ci'))).sort()
export const RENDERED = join(CACHE, 'chart')
const NEWEST_VERSION = '1.36'
export const NEWEST = `${NEWEST_VERSION}.0`

/** `kubernetes-validate` has no schema of these kinds. */
const CUSTOM_KINDS = [
  ...['HTTPRoute', 'ScaledObject', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'PodMonitoring', 'Rules'],
  ...['BackendConfig', 'ManagedCertificate', 'HealthCheckPolicy'],
]

/** What a check has found. */
export class Problems {
  readonly #found: string[] = []

  add(problem: string): void {
    this.#found.push(problem)
  }

  /** Runs a command; its output is a problem unless it succeeds. */
  async must(what: string, command: string[], env = process.env): Promise<string> {
    const { code, output } = await run(command, { env })
    // A validator also prints what passed.
    if (code !== 0) this.add(`${what}:\n${output.replace(/^INFO .*\n/gm, '').trim()}`)
    return output
  }

  /** Runs a check and ends the process: with a line that all is well, or with the problems. */
  static async report(check: (problems: Problems) => Promise<void>, success: string): Promise<never> {
    const problems = new Problems()
    await check(problems).catch((error) => problems.add(explain(error)))
    console.log(problems.#found.length > 0 ? problems.#found.join('\n') : success)
    process.exit(problems.#found.length > 0 ? 1 : 0)
  }
}

/**
 * Lints and renders each scenario with both versions of Helm, which must agree but for empty lines and random secrets.
 * Returns the files.
 */
export async function renderScenarios(problems: Problems): Promise<string[]> {
  const options = { progress: console.log }
  const versions = [await installHelm('3.19.0', options), await installHelm('4.2.3', options)]
  await rm(RENDERED, { recursive: true, force: true })
  await mkdir(RENDERED, { recursive: true })
  const files: string[] = []
  for (const scenario of SCENARIOS) {
    const values = join(CHART, 'ci', scenario)
    const texts: string[] = []
    const place = ['market', CHART, '--namespace', 'market', '--kube-version', NEWEST]
    for (const helm of versions) {
      await problems.must(`${scenario}: lint`, [helm, 'lint', CHART, '--strict', '--quiet', '--values', values])
      const text = await problems.must(`${scenario}: template`, [helm, 'template', ...place, '--values', values])
      texts.push(withoutSecrets(text).replace(/^\s*\n/gm, ''))
    }
    if (texts[0] !== texts[1]) problems.add(`${scenario}: Helm 3 and Helm 4 render different manifests`)
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

/** Validates the manifests of the scenarios, each once, with the schemas of versions of Kubernetes. */
export async function validateManifests(
  problems: Problems,
  scenarios: readonly string[],
  versions: readonly string[] = [NEWEST_VERSION],
): Promise<void> {
  const files = await distinct(scenarios)
  const folder = await installValidate({ progress: console.log })
  const env = { ...process.env, PYTHONPATH: folder }
  const program = join(folder, 'bin', 'kubernetes-validate')
  for (const version of versions) {
    const command = ['python3', program, '--kubernetes-version', version, '--strict', ...files]
    const output = await problems.must(`Kubernetes ${version}`, command, env)
    const unknown = output
      .split('\n')
      .filter((line) => line.includes("Couldn't find schema"))
      .filter((line) => !CUSTOM_KINDS.some((kind) => line.includes(`kind ${kind} `)))
    if (unknown.length > 0) problems.add(`Kubernetes ${version}:\n${unknown.join('\n')}`)
  }
}
