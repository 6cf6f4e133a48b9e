import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { ServiceName } from '../../../../proto/services.ts'

/** The event columns of an outbox row. */
export interface EventRow {
  id: string
  type: string
  subject: string
  tenant_id: string | null
  time: string | Date
  traceparent: string | null
  data: string
}

/** The event as consumers receive it. */
export const envelopeOf = (service: ServiceName, row: EventRow): Envelope => ({
  ...attributesOf(service, row),
  data: JSON.parse(row.data),
})

/** The event as text, with its data byte for byte as stored. */
export const envelopeText = (service: ServiceName, row: EventRow): string =>
  `${JSON.stringify(attributesOf(service, row)).slice(0, -1)},"data":${row.data}}`

const attributesOf = (service: ServiceName, row: EventRow) => ({
  specversion: '1.0' as const,
  id: row.id,
  source: `/marketplace/${service}`,
  type: row.type,
  subject: row.subject,
  time: new Date(row.time).toISOString(),
  ...(row.tenant_id === null ? {} : { tenantid: row.tenant_id }),
  ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  datacontenttype: 'application/json' as const,
})
