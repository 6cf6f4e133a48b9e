import { afterAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

const root = await mkdtemp(join(tmpdir(), 'biome-'))
afterAll(() => rm(root, { recursive: true }))

const IMPURE = /Rules are pure|global variable/
const CLOCK = /never read the clock|global variable performance/
const ENVIRONMENT = /Only main.ts reads/

const FORBIDDEN: [path: string, text: string, message: RegExp][] = [
  ['services/a/parts/queries.ts', "import { canSee } from './rules.ts'\ncanSee()", /never decisions/],
  ['services/a/parts/routes.ts', 'sql<{ id: string }[]>`select id`', /SQL is written in queries/],
  ['services/a/service.ts', 'tx`select 1`', /SQL is written in queries/],
  ['services/a/parts/routes.ts', 'await sql.begin(run)', /Transactions begin in commands/],
  ['services/a/main.ts', 'await sql.savepoint(run)', /Transactions begin in commands/],
  ['services/a/parts/rules.ts', 'export const now = Date.now()', CLOCK],
  ['services/a/parts/rules.ts', 'export const now = new Date()', CLOCK],
  ['services/a/parts/rules.ts', 'export const now = performance.now()', CLOCK],
  ['services/a/parts/rules.ts', "fetch('http://localhost')", IMPURE],
  ['services/a/parts/rules.ts', 'setTimeout(run, 1)', IMPURE],
  ['services/a/parts/rules.ts', 'export const id = crypto.randomUUID()', IMPURE],
  ['services/a/parts/rules.ts', 'export const chance = Math.random()', IMPURE],
  ['services/a/parts/rules.ts', "export const file = Bun.file('x')", IMPURE],
  ['services/a/parts/rules.ts', 'await something', IMPURE],
  ['services/a/parts/routes.ts', 'export const port = process.env.PORT', ENVIRONMENT],
  ['services/kit/log/log.ts', 'export const port = Bun.env.PORT', ENVIRONMENT],
  ['proto/x.ts', 'export const port = import.meta.env.PORT', ENVIRONMENT],
]

const ALLOWED: [path: string, text: string][] = [
  ['services/a/parts/queries.ts', "import { LONGEST, type Keys } from './rules.ts'\nexport const a: Keys = LONGEST"],
  ['services/a/parts/queries.ts', 'sql`select id`'],
  ['services/a/parts/commands.ts', 'await sql.begin(run)'],
  ['services/a/parts/rules.ts', 'export const when = new Date(now)'],
  ['services/a/parts/rules.ts', 'export const type = resolved.process.materialType'],
  ['services/a/parts/rules.ts', "export const hash = new Bun.CryptoHasher('sha256')"],
  ['services/a/parts/rules.ts', '// never Date.now()'],
  ['services/a/parts/rules.ts', "export const text = 'await fetch() of process.env'"],
  ['services/a/main.ts', 'run(process.env)'],
  ['services/a/x.test.ts', 'run(process.env)'],
  ['services/testing/x.ts', 'run(process.env)'],
  ['scripts/commands/seed/main.ts', 'run(process.env)'],
]

await cp(join(ROOT, 'biome.json'), join(root, 'biome.json'))
await cp(join(ROOT, 'scripts', 'checks'), join(root, 'scripts', 'checks'), { recursive: true })
// A folder for each case: several cases concern the same path.
const cases = [...FORBIDDEN, ...ALLOWED].map(([path, text], at) => ({ path: pathOf(path, at), text }))
for (const { path, text } of cases) await Bun.write(join(root, path), `${text}\n`)
const { output } = await run(
  [
    ...[BUN, join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'lint', '--vcs-enabled=false'],
    ...['--reporter=github', '--max-diagnostics=none', 'services', 'proto', 'scripts/case'],
  ],
  { cwd: root },
)

function pathOf(path: string, at: number): string {
  const folders = path.split('/')
  const file = folders.pop() ?? ''
  if (folders[0] === 'scripts') return `scripts/case/${at}/${file}`
  const inFeature = folders.length === 3 || folders[0] === 'proto'
  if (inFeature) return [...folders, `case-${at}`, file].join('/')
  if (folders[1] === 'testing') return `services/testing/case-${at}/${file}`
  return `services/case-${at}/${file}`
}

const errorsIn = (at: number) => {
  const path = cases[at]?.path ?? ''
  return output.split('\n').filter((line) => line.startsWith('::error') && line.includes(path))
}

test.each(FORBIDDEN.map((item, at) => [...item, at] as const))('%s with %p: %p', (_path, _text, message, at) => {
  expect(errorsIn(at)).toContainEqual(expect.stringMatching(message))
})

test.each(ALLOWED.map((item, at) => [...item, FORBIDDEN.length + at] as const))(
  '%s with %p: allowed',
  (_path, _text, at) => {
    expect(errorsIn(at)).toEqual([])
  },
)
