import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../toolchain/checkout.ts'

/** The last migration of the first release, which creates the schema. Later ones run beside services of the release before. */
const FIRST_RELEASE: Readonly<Record<string, number>> = {
  kit: 4,
  organization: 4,
  identity: 4,
  catalog: 2,
  sourcing: 11,
  webhooks: 3,
}

const RULES: readonly [pattern: RegExp, rule: string][] = [
  [
    /\bdrop\s+(table|view|materialized\s+view|column|schema|type|sequence|function)\b/i,
    'drops what the release before may use',
  ],
  [/\brename\b/i, 'renames what the release before uses'],
  [/\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i, 'changes the type of a column, which rewrites the table'],
  [/\bset\s+not\s+null\b/i, 'forbids null, which the release before may write'],
  [/\badd\s+column\b(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i, 'adds a column that is not null and has no default'],
  [
    /\badd\s+constraint\b(?![^;]*\bnot\s+valid\b)/i,
    'adds a constraint without `not valid`, which reads the table under a lock',
  ],
]
const CREATES_INDEX =
  /\bcreate\s+(?:unique\s+)?index\s+(concurrently\s+)?(?:if\s+not\s+exists\s+)?\w+\s+on\s+(?:only\s+)?([\w.]+)/gi

/** Why a migration cannot run beside the release before: it must only expand the schema. */
export function contractions(text: string): string[] {
  const code = text.replace(/--[^\n]*/g, '').replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
  const created = new Set(
    [...code.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w.]+)/gi)].map(([, name]) => name),
  )
  const broken = RULES.filter(([pattern]) => pattern.test(code)).map(([, rule]) => rule)
  const blocking = [...code.matchAll(CREATES_INDEX)].some(
    ([, concurrently, table]) => !concurrently && !created.has(table),
  )
  if (blocking) broken.push('creates an index without `concurrently`, which blocks changes of the table')
  if (/\bconcurrently\b/i.test(code) && !text.startsWith('-- no transaction')) {
    broken.push('creates an index concurrently, but its first line is not `-- no transaction`')
  }
  return broken
}

/** Whether the migration of this path belongs to a release after the first one. */
export function isLater(path: string): boolean {
  const [, service = '', number = ''] = /services\/(\w+)\/migrations\/(\d+)/.exec(path) ?? []
  return Number(number) > (FIRST_RELEASE[service] ?? 0)
}

if (import.meta.main) {
  let failed = false
  for await (const path of new Glob('services/*/migrations/*.sql').scan({ cwd: ROOT })) {
    if (!isLater(path)) continue
    for (const rule of contractions(await Bun.file(join(ROOT, path)).text())) {
      console.error(`${path}: ${rule}`)
      failed = true
    }
  }
  process.exit(failed ? 1 : 0)
}
