import { join } from 'node:path'
import type { TObject, TSchema } from '@sinclair/typebox'
import { identityVariables } from '../../../services/identity/config.ts'
import { migratorVariables } from '../../../services/kit/migrate/variables.ts'
import { serviceVariables } from '../../../services/kit/service/service.ts'
import { organizationVariables } from '../../../services/organization/config.ts'
import { sourcingVariables } from '../../../services/sourcing/config.ts'
import { webhooksVariables } from '../../../services/webhooks/config.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import type { GeneratedFiles } from './files.ts'

const OPERATIONS = 'OPERATIONS.md'
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
  const file = variable.secret ? ` \`${name}_FILE\` may name a file with it instead.` : ''
  return `| \`${name}\` | ${service} | ${shownDefault} | ${variable.description}${file} |`
}

/** OPERATIONS.md with the table of environment variables. */
export async function configurationFiles(): Promise<GeneratedFiles> {
  const before = await Bun.file(join(ROOT, OPERATIONS)).text()
  const table = `<!-- configuration -->\n${configurationTable()}\n<!-- /configuration -->`
  return new Map([[OPERATIONS, before.replace(TABLE, () => table)]])
}
