import type { Envelope } from '../../../proto/events/envelope.ts'

/** The body of a delivery. Every attempt sends the same bytes. */
export const bodyOf = ({
  id,
  type,
  time,
  tenantid,
  data,
}: Pick<Envelope, 'id' | 'type' | 'time' | 'tenantid' | 'data'>) =>
  JSON.stringify({ id, type, timestamp: time, tenant_id: tenantid, data })
