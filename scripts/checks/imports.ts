import { Visitor } from '@swc/core/Visitor.js'
import { cruise, type ICruiseOptions, type IForbiddenRuleType } from 'dependency-cruiser'
import { ROOT } from '../toolchain/checkout.ts'
import { FOLDER_RULES, IMPORT_RULES, TESTS } from './import-rules.ts'

interface Violation {
  rule: string
  from: string
  /** The file that `from` imports, or the files of the cycle. */
  to: string
}

// The visitor of swc ends the run at a `using` declaration. No such declaration in this repository contains an import.
const { visitStatement } = Visitor.prototype
Visitor.prototype.visitStatement = function (statement) {
  const { type }: { type: string } = statement
  return type === 'UsingDeclaration' ? statement : visitStatement.call(this, statement)
}

/** Every import of a checkout, types included, that breaks a rule of the architecture. */
export async function findViolations(root: string): Promise<Violation[]> {
  const inServices = { includeOnly: { path: '^services/' }, exclude: { path: TESTS } }
  return [
    ...(await cruiseWith(root, ['services', 'proto', 'scripts'], IMPORT_RULES)),
    ...(await cruiseWith(root, ['services'], FOLDER_RULES, inServices)),
  ]
}

async function cruiseWith(
  root: string,
  folders: string[],
  forbidden: IForbiddenRuleType[],
  only: Pick<ICruiseOptions, 'includeOnly' | 'exclude'> = {},
): Promise<Violation[]> {
  const { output } = await cruise(
    folders,
    {
      baseDir: root,
      ruleSet: { forbidden },
      validate: true,
      ...only,
      // TypeScript 7 has no parser for other programs.
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
    },
    {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['bun', 'import', 'types'],
    },
  )
  if (typeof output === 'string') throw new Error(output)
  return output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle ? cycle.map(({ name }) => name).join(' → ') : to,
  }))
}

if (import.meta.main) {
  const violations = await findViolations(ROOT)
  for (const { rule, from, to } of violations) console.error(`${from} → ${to}: ${rule}`)
  if (violations.length === 0) console.log('All imports follow the rules of the architecture.')
  process.exit(violations.length === 0 ? 0 : 1)
}
