import { Problems, renderScenarios, validateManifests } from './rendered-chart.ts'

await Problems.report(
  async (problems) => validateManifests(problems, await renderScenarios(problems)),
  'The chart is valid.',
)
