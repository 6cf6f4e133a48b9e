import { join } from 'node:path'
import { undocumentedValues } from './chart-values.ts'
import { CHART, Problems, renderScenarios, validateManifests } from './rendered-chart.ts'

const textOf = (name: string) => Bun.file(join(CHART, name)).text()

await Problems.report(async (problems) => {
  for (const name of undocumentedValues(await textOf('values.yaml'), await textOf('README.md')))
    problems.add(`charts/marketplace/README.md has no row for ${name}.`)
  await validateManifests(problems, await renderScenarios(problems))
}, 'The chart is valid.')
