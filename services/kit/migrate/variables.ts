import { type TSchema, Type } from '@sinclair/typebox'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { natsVariables, postgresUrl } from '../config/variables.ts'
import { newestPassword, withPasswordFile } from '../db/password-file.ts'
import { ROLE_PREFIX, roleOf } from '../db/roles.ts'
import { MigrationRefused } from './refusal.ts'

const passwords = Object.fromEntries(
  SERVICES.map((service) => [
    `${service.toUpperCase()}_DATABASE_PASSWORD`,
    Type.Optional(
      Type.String({
        secret: true,
        minLength: 1,
        description: `Password of the role \`${roleOf(service)}\`. Of several lines, as in a password file, the first is used. Required unless DATABASE_MANAGE_ROLES is false.`,
      }),
    ),
  ]),
) as Record<string, TSchema>

/** The variables of what acts as the owner of databases, where webhooks have a Postgres of their own. */
const ownerOfWebhooks = {
  WEBHOOKS_OWNER_DATABASE_URL: Type.Optional(
    postgresUrl(
      'URL of the Postgres of webhooks alone, without a pooler, for the owner of that database. The role of webhooks has the same name and password there. Needs NATS_URL. Unset: all schemas are in DATABASE_URL.',
    ),
  ),
  WEBHOOKS_OWNER_DATABASE_PASSWORD_FILE: Type.Optional(
    Type.String({ description: 'File with the password of that owner.' }),
  ),
}

/** The owner's URL of the Postgres of webhooks alone. Undefined: all schemas are in one database. */
export function webhooksOwnerUrl(env: Readonly<Record<string, unknown>>): string | undefined {
  const { WEBHOOKS_OWNER_DATABASE_URL: url, WEBHOOKS_OWNER_DATABASE_PASSWORD_FILE: file } = env
  const name = 'WEBHOOKS_OWNER_DATABASE_PASSWORD_FILE'
  return url ? withPasswordFile(String(url), file ? String(file) : undefined, name) : undefined
}

/** The environment variables of the migrator. */
export const migratorVariables = Type.Object({
  DATABASE_URL: postgresUrl(
    'URL of Postgres, without a pooler, for the database owner: a role with `login createrole`, or only `login` if DATABASE_MANAGE_ROLES is false.',
  ),
  DATABASE_PASSWORD_FILE: Type.Optional(Type.String({ description: 'File with the password of the owner.' })),
  ...ownerOfWebhooks,
  ...passwords,
  DATABASE_MANAGE_ROLES: Type.Boolean({
    default: true,
    description:
      'Creates the service roles and sets their passwords. `false`: an administrator creates them; the migration checks them and prints the missing statements.',
  }),
  DATABASE_ROLE_PREFIX: Type.String({
    pattern: '^[a-z_][a-z0-9_]{0,39}$',
    default: ROLE_PREFIX,
    description: 'Prefix of the names of these roles, for several installations on one Postgres server.',
  }),
  AUDIT_RETENTION_MONTHS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1200,
      description: 'Full months of the audit log to keep from now on. Unset: unlimited.',
    }),
  ),
  ...natsVariables,
  NATS_MANAGE_STREAMS: Type.Boolean({
    default: true,
    description:
      'Creates and updates the streams. `false`: an administrator creates them; the migration checks them and names the missing settings.',
  }),
  NATS_STREAM_REPLICAS: Type.Integer({
    minimum: 1,
    maximum: 5,
    default: 1,
    description: 'Copies of each stream: 3 in a cluster.',
  }),
  NATS_STREAM_MAX_BYTES: Type.Integer({
    minimum: -1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: -1,
    description:
      'Maximum size of each stream, in bytes. When it is full, new events wait in the outboxes. -1: no limit.',
  }),
})

/** Problems that the schema cannot express. */
export const migratorProblems = (config: { WEBHOOKS_OWNER_DATABASE_URL?: string; NATS_URL?: string }): string[] =>
  config.WEBHOOKS_OWNER_DATABASE_URL === undefined || config.NATS_URL !== undefined
    ? []
    : ['WEBHOOKS_OWNER_DATABASE_URL needs NATS_URL, because events run over Postgres only where all services share it.']

/** The passwords of the service roles; undefined where an administrator manages them. Throws for a missing one. */
export function passwordsOf(config: Record<string, unknown>): Record<ServiceName, string> | undefined {
  if (config.DATABASE_MANAGE_ROLES === false) return undefined
  const names = SERVICES.map((service) => [service, `${service.toUpperCase()}_DATABASE_PASSWORD`] as const)
  const missing = names.filter(([, variable]) => config[variable] === undefined).map(([, variable]) => variable)
  if (missing.length > 0)
    throw new MigrationRefused(`${missing.join(', ')} must be set, or DATABASE_MANAGE_ROLES=false.`)
  return Object.fromEntries(
    names.map(([service, variable]) => [service, newestPassword(String(config[variable]))]),
  ) as Record<ServiceName, string>
}
