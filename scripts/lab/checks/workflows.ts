import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Problems } from '../../checks/rendered-chart.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import { installActionlint } from '../../toolchain/lint-tools.ts'

const FOLDER = join(ROOT, '.github', 'workflows')

await Problems.report(async (problems) => {
  const files = (await readdir(FOLDER)).map((file) => join(FOLDER, file))
  await problems.must('actionlint', [await installActionlint({ progress: console.log }), ...files])
}, 'The workflows are valid.')
