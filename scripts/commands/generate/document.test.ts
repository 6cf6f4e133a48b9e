import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import Ajv from 'ajv/dist/2020.js'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { OPERATIONS } from '../../../proto/http/operations.ts'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import { type DocumentedFormat, errorFormatOf } from '../../../services/kit/http/problem.ts'
import { codeIn } from '../../../services/testing/operations/document.ts'
import { type OpenApi, openApiOf } from './document.ts'

const contract = Object.values(OPERATIONS).flat()
const document = await openApiOf(contract)
/** SCIM describes itself. */
const operations = contract.filter(({ scim }) => !scim)

/** Every object of the document, with its JSON pointer. */
function* objectsIn(node: unknown, pointer = ''): Generator<[string, Record<string, unknown>]> {
  if (node === null || typeof node !== 'object') return
  if (!Array.isArray(node)) yield [pointer, node as Record<string, unknown>]
  for (const [key, value] of Object.entries(node)) yield* objectsIn(value, `${pointer}/${key}`)
}

function at<T>({ $ref }: { $ref: string }): T {
  let node: unknown = document
  for (const name of $ref.slice(2).split('/')) node = (node as Record<string, unknown>)[name]
  return node as T
}

interface Described {
  content: Record<string, { example: unknown }>
}
interface Example {
  value: { status?: number }
}
interface ErrorResponse {
  description: string
  content: Record<string, { examples: Record<ErrorCode, { $ref: string }>; schema: { $ref: string } }>
}

const errorResponses = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap(({ operationId, responses }) =>
    Object.entries(responses as Record<string, { $ref: string }>)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, reference]) => ({ path, id: operationId, status: Number(status), reference })),
  ),
)

describe('an error response', () => {
  test('is a shared one, and there are hundreds of references to few', () => {
    expect(errorResponses.length).toBeGreaterThan(1500)
    expect(new Set(errorResponses.map(({ reference }) => reference.$ref)).size).toBeLessThan(70)
  })

  test('has an example of each of its codes, in its envelope and with its status', () => {
    const ajv = new Ajv({ strict: false, validateSchema: false, formats: { int32: true } }).addSchema(
      document,
      'document',
    )
    const validatorOf = (name: string) => ajv.compile({ $ref: `document#/components/schemas/${name}` })
    const isValid = {
      v1: validatorOf('Problem'),
      'v2.3': validatorOf('ErrorEnvelope'),
      oauth: validatorOf('OauthError'),
    }
    for (const { path, id, status, reference } of errorResponses) {
      const format = errorFormatOf(path)
      const { description, content } = at<ErrorResponse>(reference)
      for (const { examples } of Object.values(content)) {
        const codes = Object.keys(examples) as ErrorCode[]
        expect(codes.filter((code) => description.includes(`(\`${code}\`)`))).toEqual(codes)
        for (const code of codes) {
          const { value } = at<Example>(examples[code])
          const shown = codeIn(value)
          expect([id, status, shown]).toEqual([id, status, code])
          expect([id, code, isValid[format as DocumentedFormat](value)]).toEqual([id, code, true])
          if (format === 'v1') expect(value.status).toBe(ERRORS[code].status)
        }
      }
    }
  })
})

test('every reference leads to a part of the document', () => {
  for (const [pointer, { $ref }] of objectsIn(document)) {
    if (typeof $ref === 'string') expect([pointer, at({ $ref })]).not.toEqual([pointer, undefined])
  }
})

/** Constructs that JavaScript's or Python's engine lacks: `[^]`, `\p`, `\u{…}`, named groups, surrogates. */
const NOT_PORTABLE = /\[\^\]|\\p|\\u\{|\(\?<[^=!]|\\u[dD][89a-fA-F]|[\uD800-\uDFFF]/

test('every pattern compiles in Unicode mode and has no construct that only some engines know', () => {
  const patterns = [...objectsIn(document)].flatMap(([, { pattern, patternProperties }]) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...Object.keys(patternProperties ?? {}),
  ])
  expect(patterns.length).toBeGreaterThan(20)
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern, 'u')).not.toThrow()
    expect(pattern).not.toMatch(NOT_PORTABLE)
  }
})

describe('additions to the specification', () => {
  const described = (documents: OpenApi) =>
    Object.entries(documents.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((each) => [path, each] as const),
    )

  test('are marked, and only they are', () => {
    for (const [path, operation] of described(document)) {
      expect([path, operation['x-addition'] ?? false]).toEqual([path, !/^\/(v1|v2\.3)\//.test(path)])
    }
  })

  test('have tags of their own, in their own group', () => {
    const groups = document['x-tagGroups'] as { name: string; tags: string[] }[]
    expect(groups.map(({ name }) => name)).toEqual(['Specification', 'Additions', 'Events'])
    expect(groups.flatMap(({ tags }) => tags)).toEqual(document.tags.map(({ name }) => name))
    for (const { name } of document.tags) expect(name).not.toContain('specification')
  })
})

test('each paged list documents the link to its next page, and no other operation does', () => {
  const paged: string[] = []
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, parameters, responses } of Object.values(methods)) {
      const names = (parameters as { $ref?: string; name?: string }[]).map(({ $ref, name }) => $ref ?? name)
      const { headers = {} } = (responses as Record<string, { headers?: object }>)[200] ?? {}
      expect([operationId, 'Link' in headers]).toEqual([operationId, names.includes('#/components/parameters/page')])
      if ('Link' in headers) paged.push(String(operationId))
    }
  }
  expect(paged).toContain('listCategories')
  expect(paged).toContain('listRfqs')
  expect(paged.length).toBeGreaterThan(25)
})

test('pages, their assets and redirects are no operations', () => {
  const pages = operations.filter(({ page }) => page).map(({ path }) => path)
  expect(pages).toContain('/docs/{asset}')
  for (const path of pages) expect(document.paths[path]).toBeUndefined()
})

describe('the example of an answer', () => {
  interface Shown {
    content: { 'application/json': { schema: object; example?: Record<string, unknown> } }
  }
  const answers = new Map(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, responses }) => {
        const { 200: ok, 201: created } = responses as Record<number, Shown>
        const json = (ok ?? created)?.content?.['application/json']
        return json ? [[String(operationId), json] as const] : []
      }),
    ),
  )
  const exampleOf = (id: string) => answers.get(id)?.example ?? {}

  test.each([
    ['createRfq', 'DRAFT'],
    ['publishRfq', 'OPEN'],
    ['closeRfq', 'CLOSED'],
    ['awardRfq', 'AWARDED'],
    ['cancelRfq', 'CANCELLED'],
    ['createOffer', 'DRAFT'],
    ['patchOffer', 'DRAFT'],
    ['submitOffer', 'SUBMITTED'],
    ['reviseOffer', 'DRAFT'],
    ['withdrawOffer', 'WITHDRAWN'],
    ['acceptOffer', 'ACCEPTED'],
    ['startOrder', 'IN_PRODUCTION'],
    ['shipOrder', 'SHIPPED'],
    ['holdOrder', 'ON_HOLD'],
    ['resumeOrder', 'CONFIRMED'],
    ['archivePart', 'ARCHIVED'],
    ['closeCase', 'CLOSED'],
    ['completeCaseTask', 'COMPLETED'],
    ['retryWebhookDelivery', 'PENDING'],
  ])('of %s has the state %s', (id, state) => {
    expect(exampleOf(id).state).toBe(state)
  })

  test('has a field of other states only in those', () => {
    const has = (id: string, field: string) => field in exampleOf(id)
    expect([has('shipOrder', 'trackingNumber'), has('startOrder', 'trackingNumber')]).toEqual([true, false])
    expect([has('cancelRfq', 'reason'), has('awardRfq', 'reason')]).toEqual([true, false])
    expect([exampleOf('awardRfq').awardedOfferIds, exampleOf('closeRfq').awardedOfferIds]).toEqual([
      [expect.stringMatching(/^offer_/)],
      [],
    ])
  })

  test('of an order adds up: 10 pieces at 12.50, with tooling and shipping', () => {
    const { quantity, unitPrice, toolingCost, shippingCost, total } = exampleOf('shipOrder')
    const euros = (amount: string) => ({ amount, currency: 'EUR' })
    expect([quantity, unitPrice, toolingCost, shippingCost]).toEqual([10, ...['12.50', '12.50', '12.50'].map(euros)])
    expect(total).toEqual(euros('150.00'))
  })

  test('is valid by the schema of its answer', () => {
    const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
    let checked = 0
    for (const [id, { schema, example }] of answers) {
      if (!example) continue
      const isValid = ajv.compile({ ...schema, components: document.components })
      expect([id, isValid(example), isValid.errors]).toEqual([id, true, null])
      checked += 1
    }
    expect(checked).toBeGreaterThan(40)
  })
})

test('objects of requests are closed, and those of responses and events are open', () => {
  const seen = new Set<string>()
  /** Whether each object with fields is closed, those behind references included. */
  const areClosed = (node: unknown): boolean[] =>
    [...objectsIn(node)].flatMap(([, object]) => {
      const { $ref = '', properties, additionalProperties } = object as Record<string, unknown> & { $ref?: string }
      const isNew = $ref.includes('/schemas/') && !seen.has($ref)
      seen.add($ref)
      return [...(properties ? [additionalProperties === false] : []), ...(isNew ? areClosed(at({ $ref })) : [])]
    })
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(methods))
      expect([path, areClosed(responses).includes(true)]).toEqual([path, false])
  }
  expect(areClosed(document.webhooks)).not.toContain(true)
  seen.clear()
  const requests = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ requestBody }) => areClosed(requestBody)),
  )
  expect(requests.length).toBeGreaterThan(90)
  expect(requests).not.toContain(false)
})

describe('a request', () => {
  const bodies = operations.filter(({ page, body }) => !page && body)

  test('has an example of its whole body that its schema accepts', () => {
    expect(bodies.length).toBeGreaterThan(80)
    const refused = bodies.flatMap(({ id, path, method, body }) => {
      const described = document.paths[path]?.[method.toLowerCase()] as { requestBody: Described } | undefined
      const [{ example } = {}] = Object.values(described?.requestBody.content ?? {})
      return Value.Check(body as TSchema, example) ? [] : [[id, [...Value.Errors(body as TSchema, example)][0]]]
    })
    expect(refused).toEqual([])
  })

  test('takes a bearer token, or one of OAuth 2 with a scope for each permission that is enough', () => {
    const securityOf = (path: string, method: string) => document.paths[path]?.[method]?.security
    expect(securityOf('/v1/parts', 'post')).toEqual([{ BearerAuth: [] }, { OAuth2: ['part:create'] }])
    expect(securityOf('/v1/parts', 'get')).toEqual([{ BearerAuth: [] }, { OAuth2: [] }])
    expect(securityOf('/v2.3/oauth/token', 'post')).toEqual([])
    expect(securityOf('/flows/v1/users', 'get')).toEqual([
      { BearerAuth: [] },
      ...['org:admin', 'user:manage', 'role:manage'].map((scope) => ({ OAuth2: [scope] })),
    ])
    const { OAuth2 } = document.components.securitySchemes as { OAuth2: { flows: Record<string, { scopes: object }> } }
    for (const { scopes } of Object.values(OAuth2.flows)) expect(Object.keys(scopes)).toEqual([...PERMISSIONS])
  })
})

describe('generated clients', () => {
  test('get schemas with a name of their own: lists of words once, pages and lists by their items', () => {
    const schemas = document.components.schemas as Record<string, { enum?: unknown; properties?: object }>
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/)
    expect(schemas.Currency?.enum).toHaveLength(155)
    expect(Object.keys(schemas.PartPage?.properties ?? {})).toEqual(['items', 'hasMore'])
    expect(Object.keys(schemas.MaterialList?.properties ?? {})).toEqual(['items'])
    const currencies = [...objectsIn(document)].filter(
      ([, node]) => Array.isArray(node.enum) && node.enum.includes('EUR'),
    )
    expect(currencies.map(([pointer]) => pointer)).toEqual(['/components/schemas/Currency'])
    const inline = [...objectsIn(document.paths)].filter(
      ([, { properties }]) => 'hasMore' in ((properties ?? {}) as object),
    )
    expect(inline.map(([pointer]) => pointer)).toEqual([])
  })

  test('get one media type for each request and each success', () => {
    for (const methods of Object.values(document.paths)) {
      for (const { operationId, requestBody, responses } of Object.values(methods)) {
        const contents = [requestBody, ...Object.values(responses as object)] as ({ content?: object } | undefined)[]
        for (const { content = {} } of contents.filter((each) => each !== undefined)) {
          expect([operationId, Object.keys(content).length <= 1]).toEqual([operationId, true])
        }
      }
    }
  })

  test('get names for functions and folders: operation ids and tags have letters, digits and hyphens', () => {
    const { webhooks } = document as unknown as { webhooks: typeof document.paths }
    const ids = Object.values({ ...document.paths, ...webhooks }).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => String(operationId)),
    )
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('onAssignmentsBillingDetailsCreated')
    for (const { name } of document.tags) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
  })

  test('get the headers of every response, and the statuses that every path can have', () => {
    for (const methods of Object.values(document.paths)) {
      for (const [, { operationId, responses }] of Object.entries(methods)) {
        const all = Object.entries(responses as Record<string, { $ref?: string; headers?: object }>)
        expect([operationId, ...all.map(([status]) => status)]).toEqual(
          expect.arrayContaining([operationId, '405', '414', '431', '429', '500', '503']),
        )
        for (const [status, response] of all) {
          const { headers = {} } = response.$ref === undefined ? response : at<typeof response>({ $ref: response.$ref })
          expect([operationId, status, ...Object.keys(headers)]).toEqual(
            expect.arrayContaining([operationId, status, 'X-Request-Id', 'RateLimit', 'RateLimit-Policy']),
          )
        }
      }
    }
    const success = document.paths['/v1/orders']?.get?.responses as Record<number, { headers: object }>
    expect(Object.keys(success[200]?.headers ?? {})).toContain('Beta')
  })

  test('may leave out what has a default: no field of a body has one, which generators would require', () => {
    const withDefault = [...objectsIn(document)].filter(
      ([, node]) => 'default' in node && typeof node.default !== 'object',
    )
    expect(withDefault.map(([pointer]) => pointer)).toEqual([
      '/paths//flows/v1/parts/get/parameters/2/schema',
      '/paths//v1/parts/get/parameters/2/schema',
      '/paths//flows/v1/rfq-packages/get/parameters/2/schema',
      '/paths//flows/v1/subscriptions/get/parameters/2/schema',
      '/components/parameters/page/schema',
      '/components/parameters/pageSize/schema',
    ])
  })

  test('get Idempotency-Key for each command but those with a password, and for no other operation', () => {
    const named = operations.filter(({ path, method }) => {
      const { parameters = [] } = document.paths[path]?.[method.toLowerCase()] ?? {}
      return (parameters as { $ref?: string }[]).some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key')
    })
    const commands = operations.filter(({ audit, access }) => audit && access !== 'public').map(({ id }) => id)
    const without = [
      ...['changePassword', 'revokeToken', 'testIdentityProvider'],
      ...['confirmWithPasskey', 'createPasskey', 'startPasskey'],
    ]
    expect(named.map(({ id }) => id).sort()).toEqual(commands.filter((id) => !without.includes(id)).sort())
    expect(named.length).toBeGreaterThan(90)
  })
})
