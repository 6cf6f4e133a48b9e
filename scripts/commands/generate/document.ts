import { swagger } from '@elysiajs/swagger'
import { type TSchema, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ERRORS, OAUTH_CODES, OAUTH_ERRORS } from '../../../proto/errors.ts'
import type { Operation, Tag } from '../../../proto/http/operation.ts'
import { PERMISSION_SUMMARIES } from '../../../proto/http/permission-summaries.ts'
import { createWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { VERSION } from '../../../services/kit/config/version.ts'
import { errorFormatOf } from '../../../services/kit/http/problem.ts'
import { routerPath } from '../../../services/kit/http/target.ts'
import { withAnswerExample } from './answer-example.ts'
import { Components, type Json } from './components.ts'
import { sorted, UsedSchemas, withReferences } from './named-shapes.ts'
import { describe, isAddition, tagNameOf } from './operation.ts'
import { plain, publishedSchema } from './published-schema.ts'
import { EVENTS_TAG, webhooksOf } from './webhooks.ts'

export interface OpenApi {
  openapi: string
  info: Record<string, unknown>
  tags: { name: string }[]
  paths: Record<string, Record<string, Record<string, unknown>>>
  components: Record<string, unknown>
  [key: string]: unknown
}

const oauthOnly: readonly string[] = OAUTH_CODES
const ERROR_CODE = {
  type: 'string',
  enum: Object.keys(ERRORS).filter((code) => !oauthOnly.includes(code)),
  description: 'Stable code of an error.',
}
const errorCode = (example: string): TSchema =>
  Type.Unsafe({ $ref: '#/components/schemas/ErrorCode', description: 'Stable error code.', examples: [example] })

const FieldError: TSchema = Type.Object(
  {
    field: Type.String({ description: 'Path of the field in dots, or `body`.', examples: ['boundingBox.x'] }),
    message: Type.String({
      description: 'Reason why the field is not valid.',
      examples: ['must be a number of at least 0'],
    }),
  },
  { description: 'A problem of a field.' },
)

const fieldErrors = Type.Array(Type.Unsafe({ $ref: '#/components/schemas/FieldError' }), {
  description: 'The problems of the fields.',
})

const Problem: TSchema = Type.Object(
  {
    type: Type.String({
      description: 'Address of the page that explains the code, which tells kinds of problems apart.',
      examples: ['https://marketplace.example.com/docs/errors#not_found'],
    }),
    title: Type.String({ description: 'Title of the kind of problem.', examples: ['Not found'] }),
    status: Type.Integer({ description: 'The HTTP status.', examples: [404] }),
    detail: Type.String({
      description: 'Explanation of this problem.',
      examples: ['There is no such record, or it is outside your scope.'],
    }),
    instance: Type.String({ description: 'Path of the request.', examples: ['/v1/parts/part_01J'] }),
    code: errorCode('not_found'),
    requestId: Type.String({ description: 'The `X-Request-Id` of the response.', examples: ['req-7f3a'] }),
    errors: Type.Optional(fieldErrors),
  },
  { additionalProperties: false, description: 'An error of `/v1` and `/flows/v1` (RFC 9457).' },
)

const ErrorEnvelope: TSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: errorCode('unauthorized'),
        message: Type.String({ description: 'Explanation of the error.', examples: ['Send a valid bearer token.'] }),
        details: Type.Optional(fieldErrors),
      },
      { additionalProperties: false, description: 'The error.' },
    ),
  },
  { additionalProperties: false, description: 'An error of `/v2.3`.' },
)

const OauthError: TSchema = Type.Object(
  {
    error: Type.Unsafe({
      type: 'string',
      enum: [...OAUTH_ERRORS],
      description: 'Error of RFC 6749.',
      examples: ['invalid_client'],
    }),
    error_description: Type.String({
      description: 'Explanation of the error, in ASCII.',
      examples: ['The client id or the secret is wrong.'],
    }),
  },
  { additionalProperties: false, description: 'An error of `/flows/v1/oauth` (RFC 6749, section 5.2).' },
)

const CLIENT_BASIC = { type: 'http', scheme: 'basic', description: 'Client id and secret of a service account.' }

const flow = { tokenUrl: '/flows/v1/oauth/token', scopes: PERMISSION_SUMMARIES }
const OAUTH2 = {
  type: 'oauth2',
  description:
    'OAuth 2 (RFC 6749). A scope is a permission. A token has every permission of its user, so a request of scopes restricts nothing.',
  flows: { clientCredentials: flow, password: flow },
}

/** The address of a local marketplace, in whose place the documentation has its own. */
const LOCAL = 'http://localhost:8080'

const INTRODUCTION = `Companies find manufacturers for a part, request quotations, and place and track orders.

\`/v1\` and \`/v2.3\` follow the specification exactly. All other operations are additions (\`x-addition: true\`), most under \`/flows/v1\`: they create and manage its records.
People sign in at \`POST /v2.3/oauth/token\`, programs with a key of a service account at \`POST /flows/v1/oauth/token\`. Send the access token as \`Authorization: Bearer …\`.
Times are ISO 8601 in UTC, money is \`{amount, currency}\`, optional fields without a value are omitted.`

/**
 * The OpenAPI 3.1 document of some operations, in the order of the contract. Pages and their assets are no operations,
 * and SCIM describes itself.
 */
export async function openApiOf(contract: readonly Operation[]): Promise<OpenApi> {
  const operations = contract.filter(({ page, scim }) => !page && !scim)
  const components = new Components()
  const generated = await generate(operations, components)
  const used = new UsedSchemas({ allowsSiblings: true })
  const paths: OpenApi['paths'] = {}
  const described = operations.map(({ path, method }) => {
    const { requestBody, parameters, ...answers } = generated.paths[path]?.[method.toLowerCase()] ?? {}
    if (!answers.operationId) throw new Error(`${method} ${path} is missing from the generated document`)
    return { path, method: method.toLowerCase(), requestBody, parameters, answers }
  })
  // The forms of responses come first, so that they get the names.
  const answered = described.map(({ answers }) => withReferences(answers, 'response', used) as Json)
  const webhooks = operations.some(({ id }) => id === createWebhookEndpoint.id) ? webhooksOf(used) : undefined
  for (const [at, { path, method, parameters, requestBody }] of described.entries()) {
    const { responses, ...about } = answered[at] as Json
    const sent = withReferences({ parameters, requestBody }, 'request', used) as Json
    paths[path] = { ...paths[path], [method]: { ...about, ...sent, responses } }
  }
  const hasClients = operations.some(({ client }) => client)
  return {
    openapi: '3.1.0',
    info: generated.info,
    servers: [{ url: '/', description: 'This marketplace.' }],
    ...tagsOf(operations, webhooks !== undefined),
    security: [{ BearerAuth: [] }, { OAuth2: [] }],
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: {
      securitySchemes: {
        BearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
        OAuth2: OAUTH2,
        ...(hasClients ? { ClientBasic: CLIENT_BASIC } : {}),
      },
      ...components.toJson(),
      schemas: {
        ...envelopesOf(operations),
        ...sorted(used),
      },
    },
  }
}

/** A response, which may get new fields. */
const opened = (schema: TSchema) => publishedSchema(plain(schema), 'response')

/** The error envelopes of the operations. Those of OAuth have no codes of ours. */
function envelopesOf(operations: readonly Operation[]): Json {
  const formats = new Set(operations.map(({ path }) => errorFormatOf(path)))
  return {
    ...(formats.has('v1') || formats.has('v2.3') ? { ErrorCode: ERROR_CODE, FieldError: opened(FieldError) } : {}),
    ...(formats.has('v1') ? { Problem: opened(Problem) } : {}),
    ...(formats.has('v2.3') ? { ErrorEnvelope: opened(ErrorEnvelope) } : {}),
    ...(formats.has('oauth') ? { OauthError: opened(OauthError) } : {}),
  }
}

/**
 * `@elysiajs/swagger` generates the document (info, paths, parameters, bodies, answers) from routes with the
 * operations' details.
 */
async function generate(operations: readonly Operation[], components: Components): Promise<OpenApi> {
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
          contact: { name: 'The operator of this marketplace', url: LOCAL },
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

const shownTag = (tag: Tag, note = '') => ({
  name: tagNameOf(tag),
  'x-displayName': tag.name,
  description: `${tag.description}${note}`,
})

/** The tags of the specification come first. `x-tagGroups` is the extension by which documentation pages group tags. */
function tagsOf(operations: readonly Operation[], hasWebhooks: boolean) {
  const specified = new Set(operations.filter((operation) => !isAddition(operation)).map(({ tag }) => tag))
  const added = new Set(operations.map(({ tag }) => tag).filter((tag) => !specified.has(tag)))
  const groups = [
    { name: 'Specification', tags: [...specified].map(tagNameOf) },
    { name: 'Additions', tags: [...added].map(tagNameOf) },
    { name: 'Events', tags: hasWebhooks ? [EVENTS_TAG.name] : [] },
  ]
  return {
    tags: [
      ...[...specified].map((tag) => shownTag(tag)),
      ...[...added].map((tag) => shownTag(tag, ' An addition to the specification.')),
      ...(hasWebhooks ? [EVENTS_TAG] : []),
    ],
    'x-tagGroups': groups.filter(({ tags }) => tags.length > 0),
  }
}
