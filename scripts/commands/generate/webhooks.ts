import type { TSchema } from '@sinclair/typebox'
import { EVENTS } from '../../../proto/events/events.ts'
import type { Json } from './components.ts'
import { type UsedSchemas, withReferences } from './named-shapes.ts'
import { plain } from './published-schema.ts'

const HEADERS = [
  ['webhook-id', 'Id of the event, the same for each attempt.', 'evt_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  ['webhook-timestamp', 'Time of the attempt, in seconds since 1970.', '1777453800'],
  [
    'webhook-signature',
    'Signatures as in Standard Webhooks, separated by spaces while a secret rotates.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  ['webhook-attempt', 'Number of the attempt, starting at 1.', '1'],
] as const

/** Generators write one file for each tag, so the deliveries have a tag of their own. */
export const EVENTS_TAG = {
  name: 'webhook-events',
  'x-displayName': 'Webhook events',
  description: 'The deliveries that webhook endpoints receive.',
}

/** The deliveries of webhook endpoints, as `webhooks` of OpenAPI 3.1. */
export const webhooksOf = (used: UsedSchemas): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(EVENTS.NOTIFICATIONS).map(([type, schema]) => [type, { post: deliveryOf(type, schema, used) }]),
  )

/** `CasesTasksCreated` of `cases.tasks.created`. */
const pascalCase = (type: string) => type.replaceAll(/(?:^|[.-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

function deliveryOf(type: string, schema: TSchema, used: UsedSchemas): Json {
  const { description, ...data } = plain(schema)
  const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] })
  const properties = {
    id: text('Id of the event.', 'evt_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
    type: { const: type, type: 'string', description: 'Type of the event.' },
    timestamp: { ...text('Time of the event.', '2026-04-29T09:10:00.000Z'), format: 'date-time' },
    tenant_id: text('Your organization.', 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
    data: withReferences(data, 'response', used),
  }
  // Generators write a class for a schema with a name.
  const name = `${pascalCase(type)}Delivery`
  used.set(name, {
    type: 'object',
    required: Object.keys(properties),
    properties,
    description: `A delivery of \`${type}\`.`,
  })
  return {
    operationId: `on${pascalCase(type)}`,
    tags: [EVENTS_TAG.name],
    summary: type,
    description,
    security: [],
    parameters: HEADERS.map(([name, description, example]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
      example,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
      },
    },
    responses: {
      '2XX': { description: 'Received. Anything else is repeated later.' },
    },
  }
}
