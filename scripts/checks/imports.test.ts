import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FOLDER_RULES, IMPORT_RULES } from './import-rules.ts'
import { findViolations } from './imports.ts'

const root = await mkdtemp(join(tmpdir(), 'imports-'))
afterAll(() => rm(root, { recursive: true }))

/** Forbidden imports, each with the rule that forbids it. */
const FORBIDDEN: [from: string, imported: string, rule: RegExp][] = [
  ['services/a/main.ts', './parts/routes.ts', /^main imports only/],
  ['services/a/main.ts', './parts/worker.ts', /^main imports only/],
  ['services/a/parts/other.ts', '../main.ts', /^nothing imports main/],
  ['services/a/parts/routes.ts', '../service.ts', /^only main imports service/],
  ['services/a/parts/commands.ts', './routes.ts', /^only service and routes/],
  ['services/a/parts/consumer.ts', './routes.ts', /^only service and routes/],
  ['services/a/parts/queries.ts', './commands.ts', /^queries import neither/],
  ['services/a/parts/rules.ts', './queries.ts', /^rules import only/],
  ['services/a/parts/rules.ts', '../../kit/db/client.ts', /^rules import only/],
  ['services/a/parts/rules.ts', 'ulid', /^rules import only/],
  ['services/a/config.ts', './parts/worker.ts', /^config imports only/],
  ['services/a/parts/commands.ts', 'elysia', /^commands and queries import no HTTP/],
  ['services/a/service.ts', '../b/config.ts', /^services never import each other/],
  ['services/a/types.ts', 'type:../b/b.ts', /^services never import each other/],
  ['services/a/exports.ts', 'export:../b/b.ts', /^services never import each other/],
  ['services/a/later.ts', 'await:../b/b.ts', /^services never import each other/],
  ['services/all/main.ts', '../a/parts/worker.ts', /^services\/all imports only/],
  ['services/a/service.ts', '../all/services.ts', /^nothing imports services\/all/],
  ['services/kit/log/log.ts', '../../../scripts/commands/seed/main.ts', /^only scripts import scripts/],
  ['services/a/service.ts', '../testing/database.ts', /^only tests import test support/],
  ['services/site/routes.ts', '../a/parts/rules.ts', /^the site imports only kit and proto/],
  ['services/a/parts/routes.ts', '../../site/page.ts', /^only service\.ts imports the site/],
  ['services/a/service.ts', '../testing/bus/conformance/rig.ts', /^only tests import test support/],
  ['services/a/parts/x.test.ts', '../../b/parts/rules.ts', /^tests of a service/],
  ['services/a/parts/y.test.ts', '../../all/services.ts', /^tests of a service/],
  ['services/kit/log/x.test.ts', '../../a/parts/rules.ts', /^tests of the kit/],
  ['proto/errors.ts', '../services/kit/http/json.ts', /^proto imports only/],
  ['proto/errors.ts', 'elysia', /^proto imports only/],
  ['proto/clients/typescript/src/client.ts', '../../../errors.ts', /^a client imports nothing/],
  ['services/kit/db/client.ts', '../../a/config.ts', /^kit imports only proto/],
  ['services/kit/misplaced/x.ts', '../log/log.ts', /^every folder of the kit belongs to a layer/],
  ['services/kit/db/up.ts', '../auth/auth.ts', /^the kit layer of answers.* imports no layer above/],
  ['services/kit/auth/up.ts', '../bus/bus.ts', /^the kit layer of auth.* imports no layer above/],
  ['services/kit/bus/up.ts', '../http/json.ts', /^the kit layer of bus, command imports no layer above/],
  ['services/kit/http/up.ts', '../service/run.ts', /^the kit layer of http.* imports no layer above/],
  ['services/a/parts/worker.ts', 'postgres', /^only kit\/db/],
  ['services/a/parts/worker.ts', 'nats', /^only kit\/bus/],
  ['services/kit/bus/other.ts', 'nats', /^clients of NATS, SMTP and AWS/],
  ['services/kit/bus/other.ts', './nats/driver.ts', /^clients of NATS, SMTP and AWS/],
  ['services/a/parts/smtp.ts', 'nodemailer', /^clients of NATS, SMTP and AWS/],
  ['services/site/console/app/main.tsx', '../../tokens/rules.ts', /^the console is a client/],
  ['services/site/console/app/main.tsx', '../../../../proto/http/rfqs.ts', /^the console is a client/],
  ['services/site/console/routes.ts', './app/session.ts', /^only the bundler reads/],
  ['services/a/parts/worker.ts', './missing.ts', /^every import resolves/],
]

const ALLOWED: [from: string, imported: string][] = [
  ['services/a/main.ts', './service.ts'],
  ['services/a/main.ts', '../kit/service/run.ts'],
  ['services/a/service.ts', '../site/page.ts'],
  ['services/site/routes.ts', '../kit/http/http.ts'],
  ['services/a/parts/routes.ts', './queries.ts'],
  ['services/a/parts/routes.ts', 'elysia'],
  ['services/a/parts/commands.ts', '../orders/commands.ts'],
  ['services/a/parts/queries.ts', './rules.ts'],
  ['services/a/parts/rules.ts', '../orders/rules.ts'],
  ['services/a/parts/rules.ts', '../../../proto/states/parts.ts'],
  ['services/a/parts/rules.ts', '../../../proto/parts.ts'],
  ['services/all/services.ts', '../a/service.ts'],
  ['services/a/parts/parts.test.ts', './queries.ts'],
  ['services/all/all.test.ts', '../b/service.ts'],
  ['services/a/parts/parts.test.ts', '../../testing/database.ts'],
  ['services/testing/bus/conformance/rig.ts', '../../../testing/database.ts'],
  ['services/kit/bus/bus.ts', '../auth/auth.ts'],
  ['services/kit/db/client.ts', 'postgres'],
  ['services/kit/bus/bus.ts', 'await:./nats/driver.ts'],
  ['services/kit/bus/nats/connection.ts', 'nats'],
  ['services/a/parts/mail.ts', 'await:nodemailer'],
  ['services/kit/service/version.ts', '../../../package.json'],
  ['proto/parts.ts', '@sinclair/typebox'],
  ['proto/parts.ts', '@sinclair/typebox/value'],
  ['services/site/console/app/data.ts', '../../../../proto/states/rfqs.ts'],
  ['services/site/console/app/data.ts', '../../../../proto/clients/typescript/src/client.ts'],
  ['scripts/commands/seed/main.ts', '../services/a/parts/commands.ts'],
]

const CYCLES: [from: string, imported: string][] = [
  ['services/b/one.ts', './two.ts'],
  ['services/b/two.ts', './one.ts'],
  ['services/b/parts/first.ts', '../orders/first.ts'],
  ['services/b/orders/second.ts', '../parts/second.ts'],
  ['services/kit/log/first.ts', '../metrics/first.ts'],
  ['services/kit/metrics/second.ts', '../log/second.ts'],
]

const written = new Map<string, string>([['package.json', '{}']])
for (const name of ['elysia', 'ulid', 'postgres', 'nats', 'nodemailer', '@sinclair/typebox']) {
  written.set(`node_modules/${name}/package.json`, '{"main": "index.js"}')
  written.set(`node_modules/${name}/index.js`, '')
  written.set(`node_modules/${name}/value/package.json`, '{"main": "index.js"}')
  written.set(`node_modules/${name}/value/index.js`, '')
}
for (const [from, imported] of [...FORBIDDEN, ...ALLOWED, ...CYCLES]) {
  written.set(from, `${written.get(from) ?? ''}${statementOf(imported)}\n`)
  const target = join(dirname(from), imported.replace(/^\w+:/, ''))
  if (imported.includes('./') && !imported.endsWith('/missing.ts') && !written.has(target)) written.set(target, '')
}
for (const [path, text] of written) await Bun.write(join(root, path), text)
const violations = await findViolations(root)

function statementOf(imported: string): string {
  const [form, specifier] = /^\w+:/.test(imported) ? imported.split(':') : ['import', imported]
  if (form === 'type') return `import type { Something } from '${specifier}'`
  if (form === 'export') return `export * from '${specifier}'`
  if (form === 'await') return `await import('${specifier}')`
  return `import * as something from '${specifier}'`
}

const CYCLE = 'imports form no cycle'
const rulesFor = (from: string, imported: string) => {
  const end = imported.replace(/^\w+:/, '').replace(/^[./]+/, '')
  return violations.filter((violation) => violation.from === from && violation.to.includes(end)).map(({ rule }) => rule)
}

test.each(FORBIDDEN)('%s importing %s: %p', (from, imported, rule) => {
  expect(rulesFor(from, imported)).toContainEqual(expect.stringMatching(rule))
})

test.each(ALLOWED)('%s importing %s: allowed', (from, imported) => {
  // Some of these cases form a cycle with each other.
  expect(rulesFor(from, imported).filter((rule) => rule !== CYCLE)).toEqual([])
})

test('files that import each other: imports form no cycle', () => {
  expect(rulesFor('services/b/one.ts', './two.ts')).toEqual([CYCLE])
})

test('folders of one kit layer that import each other: the folders of the kit form no cycle', () => {
  expect(rulesFor('services/kit/log', 'kit/metrics')).toEqual(['the folders of the kit form no cycle'])
})

test('features of a service that import each other form a cycle', () => {
  expect(rulesFor('services/b/parts', 'b/orders')).toEqual(['the features of a service form no cycle'])
})

test('every rule has a violation among these cases', () => {
  const broken = new Set(violations.map(({ rule }) => rule))
  expect([...IMPORT_RULES, ...FOLDER_RULES].map(({ name = '' }) => name).filter((name) => !broken.has(name))).toEqual(
    [],
  )
})
