import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { sharedDatabaseVariables } from '../kit/config/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'

export const webhooksVariables = Type.Object({
  ...serviceVariables.properties,
  ...addressVariables,
  ...sharedDatabaseVariables,
  BUN_CONFIG_MAX_HTTP_REQUESTS: Type.Integer({
    default: 256,
    minimum: 64,
    maximum: 65_336,
    description:
      'Requests that Bun sends concurrently; it reads the variable itself. A replica uses half of it for webhooks, at most 768 requests.',
  }),
})

export type WebhooksConfig = Static<typeof webhooksVariables>

/** Problems that the schema cannot express. */
export const webhooksProblems = ({
  SHARED_DATABASE_URL: shared,
  NATS_URL: nats,
}: Pick<WebhooksConfig, 'SHARED_DATABASE_URL' | 'NATS_URL'>): string[] =>
  shared === undefined || nats !== undefined
    ? []
    : ['SHARED_DATABASE_URL needs NATS_URL, because events run over Postgres only where all services share it.']
