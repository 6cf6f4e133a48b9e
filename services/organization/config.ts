import { type Static, Type } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

export const organizationVariables = Type.Object({
  ...serviceVariables.properties,
  AUDIT_RETENTION_MONTHS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1200,
      description: 'Full months of the audit log to keep. Unset: unlimited.',
    }),
  ),
})

export type OrganizationConfig = Static<typeof organizationVariables>
