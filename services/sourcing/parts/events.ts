import type { EventName } from '../../../proto/events/events.ts'

export const partEvent = (name: EventName<'sourcing.part'>, partId: string, ipOwnerOrgId: string) => ({
  type: `sourcing.part.${name}` as const,
  tenantId: ipOwnerOrgId,
  subject: partId,
  data: { partId, ipOwnerOrgId },
})
