import { expect, test } from 'bun:test'
import { findViolations } from './rooms.ts'

const rulesBrokenBy = (path: string, text: string) => findViolations([{ path, text }]).map(({ rule }) => rule)
const importing = (specifier: string) => `import { something } from '${specifier}'\n`
// Put together here, so that this file keeps the rule itself.
const EVERYTHING = ['select', '*'].join(' ')

/** One line for each rule: a file that breaks it, and what is said about it. */
const BROKEN: [rule: string, path: string, text: string, said: RegExp][] = [
  ['main imports no routes', 'services/a/main.ts', importing('./parts/routes.ts'), /main does not import routes/],
  [
    'routes import no service',
    'services/a/parts/routes.ts',
    importing('../service.ts'),
    /routes does not import service/,
  ],
  ['commands import no routes', 'services/a/parts/commands.ts', importing('./routes.ts'), /commands does not import/],
  ['queries import no commands', 'services/a/parts/queries.ts', importing('./commands.ts'), /queries does not import/],
  ['queries take no decision', 'services/a/parts/queries.ts', importing('./rules.ts'), /never decisions/],
  ['rules import no queries', 'services/a/parts/rules.ts', importing('./queries.ts'), /only proto and other rules/],
  [
    'rules import no kit',
    'services/a/parts/rules.ts',
    importing('../../kit/db/client.ts'),
    /only proto and other rules/,
  ],
  ['rules import no package', 'services/a/parts/rules.ts', importing('ulid'), /only proto and other rules/],
  ['consumers import no routes', 'services/a/parts/consumer.ts', importing('./routes.ts'), /workroom does not import/],
  ['kit imports no service', 'services/kit/db/client.ts', importing('../../a/config.ts'), /kit imports only proto/],
  ['services stay apart', 'services/a/service.ts', importing('../b/config.ts'), /never import each other/],
  ['services stay apart in types', 'services/a/x.ts', "import type { B } from '../b/b.ts'", /never import each other/],
  [
    'services stay apart when they re-export',
    'services/a/x.ts',
    "export * from '../b/b.ts'",
    /never import each other/,
  ],
  ['services stay apart at run time', 'services/a/x.ts', "await import('../b/b.ts')", /never import each other/],
  [
    'all takes a service by its door',
    'services/all/main.ts',
    importing('../a/parts/routes.ts'),
    /service.ts and config.ts/,
  ],
  ['nothing imports all', 'services/a/service.ts', importing('../all/main.ts'), /nothing imports services\/all/],
  ['nothing imports scripts', 'services/kit/x.ts', importing('../../scripts/seed.ts'), /only scripts import scripts/],
  ['only tests import test support', 'services/a/x.ts', importing('../kit/testing/database.ts'), /only tests/],
  ['proto imports no kit', 'proto/errors.ts', importing('../services/kit/http/problem.ts'), /only proto and TypeBox/],
  ['proto imports no package', 'proto/errors.ts', importing('elysia'), /only proto and TypeBox/],
  ['commands know no Elysia', 'services/a/parts/commands.ts', importing('elysia'), /nothing of HTTP/],
  [
    'routes hold no SQL',
    'services/a/parts/routes.ts',
    'const a = sql<{ id: string }[]>`select id`',
    /written in queries/,
  ],
  ['routes begin no transaction', 'services/a/parts/routes.ts', 'await sql.begin(run)', /begun in commands/],
  ['rules read no clock', 'services/a/parts/rules.ts', 'const now = Date.now()', /never read the clock/],
  ['rules make no date of now', 'services/a/parts/rules.ts', 'const now = new Date()', /never read the clock/],
  ['rules fetch nothing', 'services/a/parts/rules.ts', "fetch('http://localhost')", /rules are pure/],
  ['rules wait for nothing', 'services/a/parts/rules.ts', 'await something', /rules are pure/],
  ['the environment stays in main', 'services/a/parts/routes.ts', 'const p = process.env.PORT', /main.ts alone/],
  ['the environment stays in main, for Bun too', 'services/kit/x.ts', 'const p = Bun.env.PORT', /main.ts alone/],
  [
    'a select lists its columns',
    'services/a/parts/queries.ts',
    `sql\`${EVERYTHING} from a.parts\``,
    /lists its columns/,
  ],
  [
    'and so in SQL files',
    'services/a/migrations/0001_x.sql',
    `create view v as ${EVERYTHING} from t;`,
    /lists its columns/,
  ],
  ['and so for one table', 'services/a/migrations/0001_x.sql', 'SELECT\n  p.* from p', /lists its columns/],
  ['no utils', 'services/a/parts/utils.ts', '', /no name/],
  ['no helpers', 'services/a/helpers/dates.ts', '', /no name/],
  ['no common', 'services/kit/common/x.ts', '', /no name/],
  ['no test helpers', 'scripts/order-helpers.ts', '', /no name/],
]

test.each(BROKEN)('%s', (_rule, path, text, said) => {
  expect(rulesBrokenBy(path, text)).toEqual([expect.stringMatching(said)])
})

/** What looks like a violation and is none. */
const KEPT: [what: string, path: string, text: string][] = [
  ['main imports its service and the kit', 'services/a/main.ts', importing('./service.ts') + importing('../kit/x.ts')],
  ['main reads the environment', 'services/a/main.ts', 'run(process.env)'],
  ['a read skips commands', 'services/a/parts/routes.ts', importing('./queries.ts')],
  ['features of a service share commands', 'services/a/parts/commands.ts', importing('../orders/commands.ts')],
  ['queries compare with a limit', 'services/a/x/queries.ts', "import { LONGEST_WAIT, type Keys } from './rules.ts'"],
  [
    'rules import rules and proto',
    'services/a/x/rules.ts',
    importing('../y/rules.ts') + importing('../../../proto/x.ts'),
  ],
  ['rules take a time', 'services/a/x/rules.ts', 'const when = new Date(now)'],
  ['rules know a process of manufacture', 'services/a/x/rules.ts', 'resolved.process.materialType'],
  ['rules hash', 'services/a/x/rules.ts', "new Bun.CryptoHasher('sha256')"],
  ['all imports services', 'services/all/main.ts', importing('../a/service.ts')],
  ['proto imports TypeBox', 'proto/x.ts', importing('@sinclair/typebox') + importing('@sinclair/typebox/value')],
  ['tests import anything', 'services/a/x.test.ts', importing('../b/service.ts') + importing('../kit/testing/x.ts')],
  ['a conformance suite is a test', 'services/kit/bus/conformance/rig.ts', importing('../../testing/database.ts')],
  ['scripts import anything', 'scripts/seed.ts', `${importing('../services/a/config.ts')}process.env.X`],
  ['the version is known', 'services/kit/version.ts', importing('../../package.json')],
  ['a comment is no code', 'services/a/x/rules.ts', '// never Date.now()\n/* import x from "elysia" */'],
  ['a sentence is no code', 'services/a/x/rules.ts', "const text = 'await fetch() of process.env'"],
  ['a sentence about imports is none', 'services/a/x/rules.ts', 'const text = "import a from \'../b/c.ts\'"'],
  ['a count names no columns', 'services/a/x/queries.ts', 'sql`select count(*) from a.parts`'],
  ['a comment may name the sin', 'services/a/migrations/0001_x.sql', `-- never ${EVERYTHING}`],
  ['commonwealth is a name', 'services/a/commonwealth.ts', ''],
]

test.each(KEPT)('%s: allowed', (_what, path, text) => {
  expect(rulesBrokenBy(path, text)).toEqual([])
})

test('a violation is reported with its line', () => {
  const text = `// first\n\n${importing('./commands.ts')}`
  expect(findViolations([{ path: 'services/a/x/queries.ts', text }])).toEqual([
    expect.objectContaining({ path: 'services/a/x/queries.ts', line: 3 }),
  ])
})
