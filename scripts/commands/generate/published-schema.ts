import type { TSchema } from '@sinclair/typebox'
import type { Json } from './components.ts'

/** A client sends a request, whose fields are closed, and receives a response, which may get new fields. */
export type Direction = 'request' | 'response'

/** A schema as plain JSON, without the symbols of TypeBox. */
export const plain = (schema: TSchema): Json => JSON.parse(JSON.stringify(schema))

const INT32_MAX = 2_147_483_647
/** The pattern of texts that name no other one. Postgres cannot store NUL. */
const NO_NUL = '^[^\\u0000]*$'

/** A schema as the documents publish it, in the form that generators of clients understand best. */
export function publishedSchema(schema: unknown, direction: Direction): unknown {
  if (Array.isArray(schema)) return schema.map((one) => publishedSchema(one, direction))
  if (schema === null || typeof schema !== 'object') return schema
  const { examples, example, default: fallback, ...rules } = withNullInType(schema as Json)
  const inside = Object.fromEntries(
    Object.entries(rules).map(([key, value]) => [key, publishedSchema(value, direction)]),
  )
  // Values are no schemas.
  const values = Object.fromEntries(
    Object.entries({ examples, example, default: fallback }).filter(([, value]) => value !== undefined),
  )
  return formOf({ ...inside, ...values }, direction)
}

/** `type: [X, 'null']`: a union with null makes a class of its own in many generators. */
function withNullInType(schema: Json): Json {
  const [inner, other] = (schema.anyOf as Json[] | undefined) ?? []
  if (inner === undefined || other?.type !== 'null') return schema
  const { anyOf: _, ...own } = schema
  const words = inner.enum ? { enum: [...(inner.enum as unknown[]), null] } : {}
  return { ...inner, ...words, ...own, type: [inner.type, 'null'] }
}

function formOf(schema: Json, direction: Direction): Json {
  const types = [schema.type].flat()
  if (types.includes('integer')) return { ...schema, format: schema.format ?? integerFormat(schema) }
  if (types.includes('string')) return direction === 'request' ? withoutNul(schema) : schema
  if (!types.includes('object')) return schema
  const { patternProperties, propertyNames: _, ...object } = schema
  if (patternProperties) return { ...object, additionalProperties: Object.values(patternProperties as Json)[0] }
  if (direction === 'request' || schema.additionalProperties !== false) return schema
  const { additionalProperties: __, ...open } = schema
  return open
}

const integerFormat = ({ maximum = 0 }: Json) => ((maximum as number) > INT32_MAX ? 'int64' : 'int32')

const withoutNul = (schema: Json): Json =>
  (schema.pattern ?? schema.enum ?? schema.format ?? schema.const) ? schema : { ...schema, pattern: NO_NUL }
