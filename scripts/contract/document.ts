import { swagger } from '@elysiajs/swagger'
import { type TSchema, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ERRORS } from '../../proto/errors.ts'
import type { AnyOperation } from '../../proto/http/operation.ts'
import { createWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { VERSION } from '../../services/kit/config/version.ts'
import { routerPath } from '../../services/kit/http/target.ts'
import { withAnswerExample } from './answer-example.ts'
import { Components, type Json } from './components.ts'
import { sorted, withReferences } from './named-shapes.ts'
import { describe, isAddition, plain } from './operation.ts'
import { webhooksOf } from './webhooks.ts'

export interface OpenApi {
  openapi: string
  info: Record<string, unknown>
  tags: { name: string }[]
  paths: Record<string, Record<string, Record<string, unknown>>>
  components: Record<string, unknown>
  [key: string]: unknown
}

const codes = Object.keys(ERRORS)

const fieldErrors = Type.Array(
  Type.Object({
    field: Type.String({ description: 'Path of the field in dots, or `body`.', examples: ['boundingBox.x'] }),
    message: Type.String({
      description: 'Reason why the field is not valid.',
      examples: ['must be a number of at least 0'],
    }),
  }),
  { description: 'The problems of the fields.' },
)

const Problem: TSchema = Type.Object(
  {
    type: Type.String({ description: 'URI of the kind of problem.', examples: ['urn:marketplace:error:not_found'] }),
    title: Type.String({ description: 'Title of the kind of problem.', examples: ['Not found'] }),
    status: Type.Integer({ description: 'The HTTP status.', examples: [404] }),
    detail: Type.String({
      description: 'Explanation of this problem.',
      examples: ['There is no such record, or it is outside your scope.'],
    }),
    instance: Type.String({ description: 'Path of the request.', examples: ['/v1/parts/part_01J'] }),
    code: Type.Unsafe({
      type: 'string',
      enum: codes,
      description: 'Stable error code.',
      examples: ['not_found'],
    }),
    requestId: Type.String({ description: 'The `X-Request-Id` of the response.', examples: ['req-7f3a'] }),
    errors: Type.Optional(fieldErrors),
  },
  { additionalProperties: false, description: 'An error of `/v1` and `/flows/v1` (RFC 9457).' },
)

const ErrorEnvelope: TSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Unsafe({
          type: 'string',
          enum: codes,
          description: 'Stable error code.',
          examples: ['unauthorized'],
        }),
        message: Type.String({ description: 'Explanation of the error.', examples: ['Send a valid bearer token.'] }),
        details: Type.Optional(fieldErrors),
      },
      { additionalProperties: false, description: 'The error.' },
    ),
  },
  { additionalProperties: false, description: 'An error of `/v2.3`.' },
)

const INTRODUCTION = `Companies find manufacturers for a part, request quotations, and place and track orders.

\`/v1\` and \`/v2.3\` follow the specification exactly. All other operations are additions (\`x-addition: true\`), most under \`/flows/v1\`: they create and manage its records.
Sign in at \`POST /v2.3/oauth/token\` and send the access token as \`Authorization: Bearer …\`.
Times are ISO 8601 in UTC, money is \`{amount, currency}\`, optional fields without a value are omitted.`

/** The OpenAPI 3.1 document of some operations, in the order of the contract. Pages and their assets are no operations. */
export async function openApiOf(contract: readonly AnyOperation[]): Promise<OpenApi> {
  const operations = contract.filter(({ page }) => !page)
  const components = new Components()
  const generated = await generate(operations, components)
  const used = new Map<string, unknown>()
  const paths: OpenApi['paths'] = {}
  for (const { path, method } of operations) {
    const described = generated.paths[path]?.[method.toLowerCase()]
    if (!described) throw new Error(`${method} ${path} is missing from the generated document`)
    paths[path] = { ...paths[path], [method.toLowerCase()]: withReferences(described, used) as Json }
  }
  const webhooks = operations.some(({ id }) => id === createWebhookEndpoint.id) ? webhooksOf(used) : undefined
  return {
    openapi: '3.1.0',
    info: generated.info,
    servers: [{ url: '/', description: 'This marketplace.' }],
    ...tagsOf(operations),
    security: [{ BearerAuth: [] }],
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: {
      securitySchemes: {
        BearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
      },
      ...components.toJson(),
      schemas: {
        Problem: plain(Problem),
        ErrorEnvelope: plain(ErrorEnvelope),
        ...sorted(used),
      },
    },
  }
}

/** `@elysiajs/swagger` generates the document (info, paths, parameters, bodies, answers) from routes with the operations' details. */
async function generate(operations: readonly AnyOperation[], components: Components): Promise<OpenApi> {
  const app = new Elysia().use(
    swagger({
      path: '/spec',
      // The plugin treats a path with a dot as a file, /v2.3 included.
      excludeStaticFile: false,
      documentation: {
        info: {
          title: 'Sourcing and Manufacturing Marketplace',
          version: VERSION,
          description: INTRODUCTION,
          license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
        },
      },
    }),
  )
  for (const operation of operations) {
    app.route(operation.method, routerPath(operation.path), () => '', {
      detail: withAnswerExample(operation, describe(operation, components)),
    })
  }
  const answer = await app.handle(new Request('http://localhost/spec/json'))
  return (await answer.json()) as OpenApi
}

/** The tags of the specification come first. `x-tagGroups` is the extension by which documentation pages group tags. */
function tagsOf(operations: readonly AnyOperation[]) {
  const specified = new Set(operations.filter((operation) => !isAddition(operation)).map(({ tag }) => tag))
  const added = new Set(operations.map(({ tag }) => tag).filter((tag) => !specified.has(tag)))
  const groups = [
    { name: 'Specification', tags: [...specified].map(({ name }) => name) },
    { name: 'Additions', tags: [...added].map(({ name }) => name) },
  ]
  return {
    tags: [
      ...specified,
      ...[...added].map(({ name, description }) => ({
        name,
        description: `${description} An addition to the specification.`,
      })),
    ],
    'x-tagGroups': groups.filter(({ tags }) => tags.length > 0),
  }
}
