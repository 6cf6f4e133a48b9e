import { type TSchema, Type } from '@sinclair/typebox'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { commonVariables } from '../config/variables.ts'
import { roleOf } from '../db/roles.ts'

const passwords = Object.fromEntries(
  SERVICES.map((service) => [
    `${service.toUpperCase()}_DATABASE_PASSWORD`,
    Type.String({ minLength: 1, description: `Password of the role \`${roleOf(service)}\`.` }),
  ]),
) as Record<string, TSchema>

/** The environment variables of the migrator. */
export const migratorVariables = Type.Object({
  DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    description:
      'URL of Postgres, without a pooler, for the owner of the database, who may create schemas, roles and extensions.',
  }),
  ...passwords,
  AUDIT_RETENTION_MONTHS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1200,
      description: 'Full months of the audit log to keep, from this migration on. Unset: unlimited.',
    }),
  ),
  NATS_URL: commonVariables.NATS_URL,
  NATS_CREDS_FILE: commonVariables.NATS_CREDS_FILE,
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

/** The passwords of the service roles, by service. */
export const passwordsOf = (config: Record<string, unknown>): Record<ServiceName, string> =>
  Object.fromEntries(
    SERVICES.map((service) => [service, config[`${service.toUpperCase()}_DATABASE_PASSWORD`]]),
  ) as Record<ServiceName, string>
