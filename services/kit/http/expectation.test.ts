import { describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { OPERATIONS } from '../../../proto/http/operations.ts'
import { Money } from '../../../proto/http/sourcing/money.ts'
import { expectation } from '../errors/expectation.ts'
import { Refusal } from '../errors/refusal.ts'
import { bodyChecker } from './body.ts'
import { queryReader } from './query.ts'

const operations = Object.values(OPERATIONS).flat()

/** A schema and all schemas inside it. */
function partsOf(schema: TSchema): TSchema[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ] as TSchema[]
  return [schema, ...inner.flatMap(partsOf)]
}

/** A value for each keyword of a schema that violates it, and one of each type. */
function wrongValues(schema: TSchema): unknown[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties, required = [] } = schema
  const repeated = (count: number) => 'x'.repeat(count)
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x']))
  return [
    ...[null, true, 'x', '', '\u0001', '2026-02-30T00:00:00Z', 0.5, -1, 1e300, [], [null], {}, { unknown: 1 }],
    ...(minLength > 0 ? [repeated(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : [repeated(maxLength + 1)]),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minItems > 0 ? [Array(minItems - 1).fill('x')] : []),
    ...(maxItems === undefined ? [] : [Array(maxItems + 1).fill('x')]),
    ...(maxProperties === undefined ? [] : [names(maxProperties + 1)]),
    ...required.map((name: string) => ({ [name]: undefined })),
  ]
}

function messagesOf(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [error.detail, ...(error.errors ?? []).map(({ message }) => message)]
  }
}

/** The messages of TypeBox for a value, at any depth. */
function phrasesOfTypeBox(schema: TSchema, value: unknown): string[] {
  return [...TypeCompiler.Compile(schema).Errors(value)].flatMap((error) => [
    error.message,
    ...error.errors.flatMap((each) => [...each].map(({ message }) => message)),
  ])
}

const schemas = [...new Set(operations.flatMap(({ body }) => (body ? partsOf(body) : [])))]

describe('the message for a body', () => {
  test('is never a phrase of TypeBox, for any keyword of any schema', () => {
    const keywords = new Set(schemas.flatMap((schema) => Object.keys(schema)))
    for (const keyword of ['minLength', 'maxLength', 'pattern', 'enum', 'format', 'minimum', 'minItems', 'maxItems']) {
      expect(keywords).toContain(keyword)
    }
    let messages = 0
    for (const schema of schemas) {
      const check = bodyChecker(schema)
      for (const value of wrongValues(schema)) {
        const phrases = phrasesOfTypeBox(schema, value).map((phrase) => phrase.toLowerCase())
        for (const message of messagesOf(() => check(value))) {
          messages++
          expect(phrases.filter((phrase) => message.toLowerCase().includes(phrase))).toEqual([])
          // A field can have one of these words as its name.
          expect(message.replace(/^[\w.]+: /, '')).not.toMatch(/\b(expected|union|undefined|kind)\b/i)
        }
      }
    }
    expect(messages).toBeGreaterThan(1000)
  })
})

test('no message lists more than 35 words, the number of permissions', () => {
  const longest = Math.max(...schemas.map((schema) => expectation(schema).split(', ').length))
  expect(longest).toBe(35)
})

test('a wrong currency gets the form of one, without a list', () => {
  const [, message] = messagesOf(() => bodyChecker(Money)({ amount: '1', currency: 'DEM' }))
  expect(message).toBe('must be an ISO 4217 code of a currency in use, such as EUR')
})

test('the message for a parameter of a query says what it must be', () => {
  for (const { query } of operations) {
    for (const [name, schema] of Object.entries(query?.properties ?? {})) {
      const read = queryReader(Type.Object({ [name]: schema }))
      for (const text of ['%00', '1.5', 'x'.repeat(3000), '-1']) {
        for (const message of messagesOf(() => read(`${name}=${text}`)).slice(1)) {
          expect(message).toBe(`must be ${expectation(schema)}`)
        }
      }
    }
  }
})

test.each([
  [Type.Integer({ minimum: 1, maximum: 50 }), 'a whole number from 1 to 50'],
  [Type.Number({ minimum: 0 }), 'a number of at least 0'],
  [Type.String({ minLength: 1, maxLength: 64 }), 'text of 1 to 64 characters'],
  [Type.String({ maxLength: 1 }), 'text of at most 1 character'],
  [Type.String({ minLength: 1 }), 'text of at least 1 character'],
  [Type.Array(Type.String(), { minItems: 1, maxItems: 100 }), 'a list of 1 to 100 items'],
  [Type.Object({}, { maxProperties: 50 }), 'an object of at most 50 fields'],
  [Type.Union([Type.Boolean(), Type.Null()]), 'true or false, or null'],
])('expectation %#', (schema, words) => {
  expect(expectation(schema)).toBe(words)
})
