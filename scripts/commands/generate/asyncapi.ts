import type { TSchema } from '@sinclair/typebox'
import { Envelope, type StreamName } from '../../../proto/events/envelope.ts'
import { EVENTS } from '../../../proto/events/events.ts'
import { VERSION } from '../../../services/kit/config/version.ts'
import { exampleOf } from './examples.ts'
import { sorted, UsedSchemas, withReferences } from './named-shapes.ts'
import { plain, publishedSchema } from './published-schema.ts'

const DESCRIPTION = `The events of the marketplace on NATS JetStream. The subject of a message is the type of its event, the body an envelope of CloudEvents 1.0 in JSON, and the header \`Nats-Msg-Id\` the id of the event.

The stream DOMAIN carries the changes of the services. The stream NOTIFICATIONS carries what webhook endpoints receive: events of cases and assignments, one for each organization that is a party. Other systems of the platform publish there, too, with the same envelope: \`tenantid\` is the organization whose endpoints receive the event, and its data is passed on. Numbers are read as double precision: send longer ones, such as 64-bit ids, as text.

Delivery is at least once. A consumer that has processed the \`id\` ignores the event. Events of one \`subject\` keep their order.`

const STREAM_DESCRIPTIONS: Record<StreamName, string> = {
  DOMAIN: 'Changes of the services, for the services themselves.',
  NOTIFICATIONS: 'Events that webhook endpoints receive.',
}

/** The AsyncAPI 3 document of all events. The marketplace sends each, and receives those of NOTIFICATIONS. */
export function asyncApi() {
  const used = new UsedSchemas({ allowsSiblings: false })
  const events = Object.entries(EVENTS).flatMap(([stream, schemas]) =>
    Object.entries(schemas).map(([type, schema]) => ({ stream: stream as StreamName, type, schema })),
  )
  const each = <Value>(make: (event: (typeof events)[0]) => [string, Value]) => Object.fromEntries(events.map(make))
  const operationsOf = (action: 'send' | 'receive') =>
    events
      .filter(({ stream }) => action === 'send' || stream === 'NOTIFICATIONS')
      .map(({ type }) => [`${action}.${type}`, operationOf(action, type)])
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of the Sourcing and Manufacturing Marketplace',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      jetstream: {
        host: 'nats:4222',
        protocol: 'nats',
        description: 'NATS 2.9 or newer with JetStream.',
        security: [{ $ref: '#/components/securitySchemes/credentials' }],
      },
    },
    channels: each(({ stream, type, schema }) => [
      type,
      {
        address: type,
        summary: schema.description,
        messages: { [type]: { $ref: `#/components/messages/${type}` } },
        tags: [{ $ref: `#/components/tags/${stream}` }],
      },
    ]),
    operations: Object.fromEntries([...operationsOf('send'), ...operationsOf('receive')]),
    components: {
      securitySchemes: {
        credentials: { type: 'userPassword', description: 'The account of NATS. Its permissions are by subject.' },
      },
      tags: Object.fromEntries(
        Object.entries(STREAM_DESCRIPTIONS).map(([name, description]) => [name, { name, description }]),
      ),
      messages: each(({ type, schema }) => [type, messageOf(type, schema, used)]),
      schemas: { Envelope: publishedSchema(plain(Envelope), 'response'), ...sorted(used) },
    },
  }
}

const operationOf = (action: 'send' | 'receive', type: string) => ({
  action,
  channel: { $ref: `#/channels/${type}` },
  messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
})

function messageOf(type: string, schema: TSchema, used: UsedSchemas) {
  const { description, ...data } = plain(schema)
  return {
    name: type,
    title: type,
    summary: description,
    payload: {
      allOf: [
        { $ref: '#/components/schemas/Envelope' },
        { type: 'object', properties: { type: { const: type }, data: withReferences(data, 'response', used) } },
      ],
    },
    examples: [{ name: type, payload: exampleOfEvent(type, schema) }],
  }
}

const exampleOfEvent = (type: string, schema: TSchema) => ({
  ...(exampleOf(Envelope, 'envelope') as object),
  type,
  source:
    type.startsWith('cases') || type.startsWith('assignments')
      ? '/marketplace/sourcing'
      : `/marketplace/${type.split('.')[0]}`,
  data: exampleOf(schema, type),
})
