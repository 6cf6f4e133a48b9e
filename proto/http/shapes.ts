import { FormatRegistry, Kind, type Static, type TObject, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { isDateTime } from './times.ts'

FormatRegistry.Set('date-time', isDateTime)
interface TextSchema {
  minLength?: number
  maxLength: number
  pattern?: string
}

/** Lengths in code points, as JSON Schema means them; TypeBox's own strings count UTF-16 units. */
TypeRegistry.Set('Text', ({ minLength = 0, maxLength, pattern }: TextSchema, value) => {
  if (typeof value !== 'string' || value.length < minLength || value.length > 2 * maxLength) return false
  if (value.length > maxLength && Array.from(value).length > maxLength) return false
  return pattern === undefined || new RegExp(pattern).test(value)
})
TypeRegistry.Set(
  'OneOf',
  (schema: { enum: string[] }, value) => typeof value === 'string' && schema.enum.includes(value),
)

/** Query of a paged list. */
export const pageQuery = {
  page: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    default: 1,
    format: 'int32',
    description: 'Page to read, counted from 1.',
    examples: [1],
  }),
  pageSize: Type.Integer({
    minimum: 1,
    maximum: 50,
    default: 10,
    format: 'int32',
    description: 'Most items on a page.',
    examples: [10],
  }),
}

export interface PageQuery {
  page: number
  pageSize: number
}

/** `{items, hasMore}`: the envelope of a paged list. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'The items of this page, in the order of the list.' }),
      hasMore: Type.Boolean({ description: 'True when more items can be fetched.', examples: [false] }),
    },
    { additionalProperties: false },
  )

/** `{items}`: the envelope of an unpaged list and of a batch get. */
export const ItemsOf = <T extends TSchema>(item: T) =>
  Type.Object(
    { items: Type.Array(item, { description: 'The items, in the order of the list or of the request.' }) },
    { additionalProperties: false },
  )

/** A closed set of words. */
export const OneOf = <const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ [Kind]: 'OneOf', type: 'string', enum: [...words], ...options })

/** In a patch: null clears the field. */
export const OrNull = <T extends TSchema>(schema: T) => {
  const { description = '', examples } = schema
  return Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()], { description, examples }))
}

/** ISO 8601 with an offset; answers are in UTC with milliseconds. */
export const DateTime = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ format: 'date-time', description, examples: ['2026-04-29T09:10:00.000Z'], ...options })

/** What an id or a code in a path can look like; anything else names nothing. */
export const PATH_ID = /^[A-Za-z0-9._-]{1,64}$/

export const pathParam = <const N extends string>(name: N, description: string, example: string) =>
  Type.Object({ [name]: Type.String({ description, examples: [example] }) } as Record<
    N,
    ReturnType<typeof Type.String>
  >)

/** Body of a batch get. `field` is `ids`, or `codes` where the catalog is keyed by code. */
export const BatchOf = <const F extends 'ids' | 'codes'>(field: F, example: string[]) =>
  Type.Object(
    {
      [field]: Type.Array(Type.String({ description: `One of the ${field}.`, examples: [example[0]] }), {
        minItems: 1,
        maxItems: 100,
        description: `The ${field} to read, 1 to 100. Unknown or unreadable ones are left out of the answer, repeated ones are answered once.`,
        examples: [example],
      }),
    } as Record<F, ReturnType<typeof Type.Array<ReturnType<typeof Type.String>>>>,
    { additionalProperties: false },
  )

/** Free text of one line: at least one character that is not a space, and no control characters. */
export const Line = (maxLength: number, options: Record<string, unknown>) =>
  Text(maxLength, { minLength: 1, pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$', ...options })

/** Free text of any number of lines. */
export const Text = (maxLength: number, options: Record<string, unknown>) =>
  Type.Unsafe<string>({ [Kind]: 'Text', type: 'string', maxLength, ...options })

export const Search = (description: string, example: string) =>
  Type.String({ maxLength: 200, description, examples: [example] })

export const closed = <T extends Record<string, TSchema>>(properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export type Page<T extends TSchema> = Static<ReturnType<typeof PageOf<T>>>
export type AnyObject = TObject
