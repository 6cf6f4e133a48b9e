import { type Static, Type } from '@sinclair/typebox'

/** First words of the types of a stream. A type that starts with none of these would be heard by nobody. */
export const STREAM_FAMILIES = {
  DOMAIN: ['identity', 'catalog', 'sourcing', 'organization'],
  NOTIFICATIONS: ['cases', 'assignments'],
} as const
export type StreamName = keyof typeof STREAM_FAMILIES

const FAMILIES = [...STREAM_FAMILIES.DOMAIN, ...STREAM_FAMILIES.NOTIFICATIONS].join('|')

/** `sourcing.part.created`: the family and at least one word more. It is the subject on the bus too. */
export const EVENT_TYPE = `^(${FAMILIES})(\\.[A-Za-z0-9_-]+)+$`

/** What an event's data may measure as JSON; brokers refuse a megabyte by default. */
export const EVENT_DATA_MAX_BYTES = 256 * 1024

/** Text without control characters, which Postgres or a header would refuse. */
const Word = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description, examples: [example] })

/**
 * CloudEvents 1.0 in JSON with the extensions `tenantid` and `traceparent`. Further extensions may come along
 * from other systems and are ignored.
 */
export const Envelope = Type.Object({
  specversion: Type.Literal('1.0', { description: 'Version of CloudEvents.', examples: ['1.0'] }),
  id: Word(128, 'Unique for all time; a second event with it is a copy.', 'evt_01JZ0000000000000000000000'),
  source: Word(256, 'Who tells it.', '/marketplace/sourcing'),
  type: Type.String({
    maxLength: 128,
    pattern: EVENT_TYPE,
    description: 'What happened.',
    examples: ['sourcing.part.created'],
  }),
  subject: Word(
    256,
    'Id of what it happened to; events of one subject keep their order.',
    'part_01JZ000000000000000000',
  ),
  time: Type.String({ maxLength: 40, description: 'When, in UTC.', examples: ['2026-04-29T09:10:00.000Z'] }),
  tenantid: Type.Optional(Word(128, 'Organization it concerns.', 'org_01JZ0000000000000000000000')),
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
  data: Type.Unknown({ description: 'What a reader needs to know; its shape goes with the type.', examples: [{}] }),
})
export type Envelope = Static<typeof Envelope>
