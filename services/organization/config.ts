import { type Static, Type } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

export const organizationVariables = Type.Object({
  ...serviceVariables.properties,
  AUDIT_RETENTION_MONTHS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1200,
      description: 'Whole months of audit log to keep. Unset: everything.',
    }),
  ),
})

export type OrganizationConfig = Static<typeof organizationVariables>
