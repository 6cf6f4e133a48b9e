import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { openApi30 } from './openapi-30.ts'

const PUBLIC_URL = 'https://market.example.com'
const market = await marketplaceOf([], { PUBLIC_URL })

test('GET /openapi-3.0.json has every operation of the document, without what OpenAPI 3.0 does not know', async () => {
  type Document = { openapi: string; info: { contact: { url: string } }; paths: Record<string, object> }
  const [old, current] = await Promise.all(
    ['/openapi-3.0.json', '/openapi.json'].map(async (path) => (await market.anonymous.get<Document>(path)).body),
  )
  expect([old?.openapi, current?.openapi]).toEqual(['3.0.3', '3.1.0'])
  expect(Object.keys(old?.paths ?? {})).toEqual(Object.keys(current?.paths ?? {}))
  for (const document of [old, current]) expect(document?.info.contact.url).toBe(PUBLIC_URL)
  const text = JSON.stringify(old)
  for (const unknown of ['"null"', '"webhooks"', '"const":', '"examples":[']) expect(text).not.toContain(unknown)
})

test('what only OpenAPI 3.1 has is written as OpenAPI 3.0 has it', () => {
  const schemas = {
    nullable: { type: ['string', 'null'], enum: ['a', null], examples: ['a'] },
    constant: { const: 'a' },
    reference: { $ref: '#/x', description: 'Of its own.' },
    plain: { $ref: '#/x' },
    bound: { type: 'number', exclusiveMinimum: 0 },
    type: { type: 'object', properties: { type: { type: 'string' }, value: { const: 1 } } },
  }
  const content = { 'application/x-ndjson': { schema: { type: 'object' } } }
  const example = { value: { type: ['a', 'null'] } }
  const document = { openapi: '3.1.0', webhooks: {}, tags: [], 'x-tagGroups': [], schemas, content, example }
  expect(openApi30(document)).toMatchObject({
    openapi: '3.0.3',
    schemas: {
      nullable: { type: 'string', nullable: true, enum: ['a', null], example: 'a' },
      constant: { enum: ['a'] },
      reference: { allOf: [{ $ref: '#/x' }], description: 'Of its own.' },
      plain: { $ref: '#/x' },
      bound: { type: 'number', minimum: 0, exclusiveMinimum: true },
      type: { properties: { type: { type: 'string' }, value: { enum: [1] } } },
    },
    content: { 'application/x-ndjson': { schema: { type: 'string', format: 'binary' } } },
    example,
  })
})
