import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'

export const webhooksVariables = Type.Object({ ...serviceVariables.properties, ...addressVariables })

export type WebhooksConfig = Static<typeof webhooksVariables>
