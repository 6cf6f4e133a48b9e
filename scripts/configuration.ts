import { join } from 'node:path'
import type { TObject, TSchema } from '@sinclair/typebox'
import { identityVariables } from '../services/identity/config.ts'
import { migratorVariables } from '../services/kit/migrate/variables.ts'
import { serviceVariables } from '../services/kit/service/service.ts'
import { organizationVariables } from '../services/organization/config.ts'
import { sourcingVariables } from '../services/sourcing/config.ts'
import { webhooksVariables } from '../services/webhooks/config.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const OPERATIONS = join(import.meta.dir, '..', 'OPERATIONS.md')
const TABLE = /<!-- configuration -->[\s\S]*<!-- \/configuration -->/

/** The variables that not all services have, with their schema and service. */
const OWN: [name: string, schema: TObject, service: string][] = (
  [
    ['identity', identityVariables],
    ['organization', organizationVariables],
    ['sourcing', sourcingVariables],
    ['webhooks', webhooksVariables],
  ] as const
).flatMap(([service, schema]) =>
  Object.keys(schema.properties)
    .filter((name) => !(name in serviceVariables.properties))
    .map((name): [string, TObject, string] => [name, schema, service]),
)

/** The table of all environment variables, generated from the schemas that validate them. */
function configurationTable(): string {
  return [
    '| Variable | Service | Default | Description |',
    '|---|---|---|---|',
    ...Object.entries(serviceVariables.properties).map(([name, variable]) =>
      row(name, variable, serviceVariables, 'all'),
    ),
    ...[...Map.groupBy(OWN, ([name]) => name)].map(([name, [first, ...others]]) => {
      const [, schema, service] = first as (typeof OWN)[0]
      const services = [service, ...others.map(([, , another]) => another)].join(', ')
      return row(name, schema.properties[name] as TSchema, schema, services)
    }),
    ...Object.entries(migratorVariables.properties)
      .filter(([name]) => !name.startsWith('NATS_URL') && !name.startsWith('NATS_CREDS'))
      .map(([name, variable]) => row(name, variable, migratorVariables, 'migrator')),
  ].join('\n')
}

function row(name: string, variable: TSchema, schema: TObject, service: string): string {
  const required = schema.required?.includes(name) && variable.default === undefined
  // A default that depends on the machine is in the description.
  const dependsOnMachine = name === 'HASHING_SLOTS'
  const shownDefault = required
    ? 'required'
    : variable.default === undefined || dependsOnMachine
      ? ''
      : `\`${variable.default}\``
  return `| \`${name}\` | ${service} | ${shownDefault} | ${variable.description} |`
}

async function write({ check = false }): Promise<void> {
  const file = Bun.file(OPERATIONS)
  const before = await file.text()
  const after = before.replace(TABLE, `<!-- configuration -->\n${configurationTable()}\n<!-- /configuration -->`)
  if (before !== after && check) {
    throw new CommandError(
      'The configuration table of OPERATIONS.md is out of date: run bun scripts/configuration.ts and commit.',
    )
  }
  if (before !== after) await Bun.write(file, after)
  console.log('The configuration table of OPERATIONS.md is up to date.')
}

await runCommandLine(
  commandLine('bun scripts/configuration.ts', 'Writes the table of environment variables in OPERATIONS.md.')
    .option('--check', 'fails if the table is out of date, and writes nothing')
    .action(write),
)
