import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { valuesWithoutEffect } from '../../checks/chart-values.ts'
import {
  CHART,
  NEWEST,
  Problems,
  RENDERED,
  renderScenarios,
  SCENARIOS,
  validateManifests,
} from '../../checks/rendered-chart.ts'
import { type BuiltTools, installBuiltTools, installHelm } from '../../toolchain/chart-tools.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'
import { type Definition, type Manifest, violationsOf } from './custom-resources.ts'

const OLDER_VERSIONS = ['1.34', '1.35']

/** These kinds are checked by their definitions. */
const DEFINED_KINDS = ['HTTPRoute', 'ScaledObject']

/** Custom resources, by their definitions. */
async function validateCustom(
  problems: Problems,
  { definitions }: BuiltTools,
  files: readonly string[],
): Promise<void> {
  const known = await Promise.all(
    (await readdir(definitions)).map((name) => readYaml<Definition>(join(definitions, name))),
  )
  const custom = (await Promise.all(files.map((file) => readYaml<Manifest>(file))))
    .flat()
    .filter(({ kind }) => DEFINED_KINDS.includes(kind))
  if (custom.length === 0) problems.add('No scenario has a custom resource.')
  for (const manifest of custom) {
    for (const violation of violationsOf(manifest, known.flat()))
      problems.add(`${manifest.kind} ${manifest.metadata.name}: ${violation}`)
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

async function score(problems: Problems, { kubeScore }: BuiltTools, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const ignored = file === RESTRICTED.file ? ['--ignore-test', RESTRICTED.ignored] : []
    const { output } = await run([kubeScore, 'score', ...NOT_WANTED, ...ignored, '--output-format', 'ci', file])
    const critical = output.split('\n').filter((line) => line.startsWith('[CRITICAL]'))
    if (critical.length > 0 || !output.includes('[OK]')) problems.add(`kube-score of ${file}:\n${critical.join('\n')}`)
  }
}

async function documentation(problems: Problems, { helmDocs }: BuiltTools): Promise<void> {
  const readme = join(CHART, 'README.md')
  const before = await Bun.file(readme).text()
  await problems.must('helm-docs', [
    helmDocs,
    '--chart-search-root',
    CHART,
    '--sort-values-order',
    'file',
    '--log-level',
    'error',
  ])
  if ((await Bun.file(readme).text()) !== before)
    problems.add('charts/marketplace/README.md was out of date: commit it.')
}

await Problems.report(async (problems) => {
  const tools = await installBuiltTools({ progress: console.log })
  const files = await renderScenarios(problems)
  await problems.must('helm-unittest', [tools.unittest, '--strict', '--file', 'tests/*_test.yaml', CHART])
  await validateManifests(problems, files, OLDER_VERSIONS)
  await validateCustom(problems, tools, files)
  const helm = await installHelm('4.2.3', { progress: console.log })
  for (const name of await valuesWithoutEffect(helm, CHART, SCENARIOS.toReversed(), NEWEST))
    problems.add(`values.yaml: ${name} changes nothing in the manifests of any scenario.`)
  await score(problems, tools, files)
  await documentation(problems, tools)
  await problems.must('compose.yaml', [tools.compose, join(ROOT, 'charts', 'compose.yaml')])
}, 'The chart and the compose file are valid.')
