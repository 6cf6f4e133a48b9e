import type { Static } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

export const organizationVariables = serviceVariables

export type OrganizationConfig = Static<typeof organizationVariables>
