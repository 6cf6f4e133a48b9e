import { type Static, Type } from '@sinclair/typebox'
import { DateTime } from '../http/shapes.ts'
import type { ServiceName } from '../services.ts'

/** The first word of event types, by stream. Other types are refused, because no consumer would receive them. */
export const STREAM_FAMILIES = {
  DOMAIN: ['identity', 'catalog', 'sourcing', 'organization', 'webhooks'],
  NOTIFICATIONS: ['cases', 'assignments'],
} as const
export type StreamName = keyof typeof STREAM_FAMILIES

/** The service that emits the events of a family. */
export const EMITTED_BY: Readonly<Record<string, ServiceName>> = {
  identity: 'identity',
  catalog: 'catalog',
  sourcing: 'sourcing',
  organization: 'organization',
  webhooks: 'webhooks',
  cases: 'sourcing',
  assignments: 'sourcing',
}

const FAMILIES = [...STREAM_FAMILIES.DOMAIN, ...STREAM_FAMILIES.NOTIFICATIONS].join('|')

/** `sourcing.part.created`: the family and at least one more word. The type is also the subject on the bus. */
export const EVENT_TYPE = `^(${FAMILIES})(\\.[A-Za-z0-9_-]+)+$`

/** Maximum size of an event's data as JSON. Brokers accept at most 1 MB by default. */
export const EVENT_DATA_MAX_BYTES = 256 * 1024

/** Text without control characters, which Postgres and headers refuse. */
const Word = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description, examples: [example] })

/**
 * CloudEvents 1.0 in JSON with the extensions `tenantid` and `traceparent`. Further extensions from other systems are
 * ignored.
 */
export const Envelope = Type.Object({
  specversion: Type.Literal('1.0', { description: 'Version of CloudEvents.', examples: ['1.0'] }),
  id: Type.String({
    minLength: 1,
    maxLength: 128,
    // Deliveries send it in a header.
    pattern: '^[!-~]+$',
    description:
      'Id of visible ASCII characters, unique among the events of all systems and organizations: a second event with the same id is a duplicate and is dropped.',
    examples: ['evt_01JZ0000000000000000000000'],
  }),
  source: Word(256, 'Source of the event.', '/marketplace/sourcing'),
  type: Type.String({
    maxLength: 128,
    pattern: EVENT_TYPE,
    description: 'Type of the event.',
    examples: ['sourcing.part.created'],
  }),
  subject: Word(256, 'Id of the record; events of one subject keep their order.', 'part_01JZ000000000000000000'),
  time: DateTime('Time of the event.', { maxLength: 40 }),
  tenantid: Type.Optional(Word(128, 'Organization of the event.', 'org_01JZ0000000000000000000000')),
  traceparent: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'W3C trace context.',
      examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    }),
  ),
  datacontenttype: Type.Optional(
    Type.Literal('application/json', { description: 'Data is JSON.', examples: ['application/json'] }),
  ),
  data: Type.Unknown({ description: 'Data of the event; the shape depends on the type.', examples: [{}] }),
})
export type Envelope = Static<typeof Envelope>
