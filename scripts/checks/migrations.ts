import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../toolchain/checkout.ts'
import { explain } from '../toolchain/command-error.ts'
import { installSquawk } from '../toolchain/lint-tools.ts'
import { run } from '../toolchain/run.ts'

/**
 * The last migration of the first release, which creates the schema. Later ones run beside services of the release
 * before.
 */
const FIRST_RELEASE: Readonly<Record<string, number>> = {
  kit: 6,
  organization: 24,
  identity: 8,
  catalog: 2,
  sourcing: 36,
  webhooks: 4,
}

/** The migrator sets the time-outs, and repeats a migration as a whole. */
const NOT_WANTED = ['require-lock-timeout', 'require-statement-timeout', 'prefer-robust-stmts']

const OUTSIDE = '-- no transaction'

export interface Problem {
  file: string
  rule: string
  message: string
}

/** Why migrations cannot run beside the release before: they must only expand the schema, without long locks. */
export async function contractions(files: readonly string[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const file of files) {
    const text = await Bun.file(file).text()
    const isOutside = text.startsWith(OUTSIDE)
    problems.push(...(await lint(file, isOutside ? [] : ['--assume-in-transaction'])))
    if (!isOutside && /\bconcurrently\b/i.test(text)) {
      problems.push({ file, rule: 'no-transaction', message: `The first line is not \`${OUTSIDE}\`.` })
    }
  }
  return problems
}

async function lint(file: string, flags: readonly string[]): Promise<Problem[]> {
  const squawk = await installSquawk({ progress: console.log })
  const excluded = NOT_WANTED.flatMap((rule) => ['--exclude', rule])
  const { output } = await run([squawk, '--reporter', 'json', '--pg-version', '18', ...excluded, ...flags, file])
  const found: { rule_name: string; message: string }[] = JSON.parse(output)
  return found.map(({ rule_name: rule, message }) => ({ file, rule, message }))
}

/** Whether the migration of this path belongs to a release after the first one. */
export function isLater(path: string): boolean {
  const [, service = '', number = ''] = /services\/(\w+)\/migrations\/(\d+)/.exec(path) ?? []
  return Number(number) > (FIRST_RELEASE[service] ?? 0)
}

if (import.meta.main) {
  const paths = [...new Glob('services/*/migrations/*.sql').scanSync({ cwd: ROOT })].filter(isLater)
  const problems = await contractions(paths.map((path) => join(ROOT, path))).catch((error) => {
    console.error(explain(error))
    process.exit(1)
  })
  for (const { file, rule, message } of problems) console.error(`${file}: ${message} (${rule})`)
  process.exit(problems.length === 0 ? 0 : 1)
}
