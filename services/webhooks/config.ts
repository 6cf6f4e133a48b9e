import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'

export const webhooksVariables = Type.Object({
  ...serviceVariables.properties,
  ...addressVariables,
  BUN_CONFIG_MAX_HTTP_REQUESTS: Type.Integer({
    default: 256,
    minimum: 64,
    maximum: 65_336,
    description:
      'Requests that Bun sends concurrently; it reads the variable itself. A replica uses half of it for webhooks, at most 768 requests.',
  }),
})

export type WebhooksConfig = Static<typeof webhooksVariables>
