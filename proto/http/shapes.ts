import {
  FormatRegistry,
  Kind,
  OptionalKind,
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'
import { isDate, isDateTime } from './times.ts'

FormatRegistry.Set('date-time', isDateTime)
FormatRegistry.Set('date', isDate)
FormatRegistry.Set('uri', (text) => URL.canParse(text))

interface TextSchema {
  minLength?: number
  maxLength: number
  pattern?: string
}

/** Lengths are in code points, as in JSON Schema; TypeBox strings count UTF-16 units. */
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
    description: 'Page number, starting at 1.',
    examples: [1],
  }),
  pageSize: Type.Integer({
    minimum: 1,
    maximum: 50,
    default: 10,
    format: 'int32',
    description: 'Maximum number of items on a page.',
    examples: [10],
  }),
}

export interface PageQuery {
  page: number
  pageSize: number
}

/** `{items, hasMore}`: the envelope of a paged list. */
export const PageOf = <T extends TSchema>(item: T) =>
  closed({
    items: Type.Array(item, { description: 'Items of the page, in the order of the list.' }),
    hasMore: Type.Boolean({ description: 'Whether there are more items.', examples: [false] }),
  })

/** `{items}`: the envelope of an unpaged list and of a batch get. */
export const ItemsOf = <T extends TSchema>(item: T) =>
  closed({ items: Type.Array(item, { description: 'Items in the order of the list or of the request.' }) })

/** A string enum. */
export const OneOf = <const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ [Kind]: 'OneOf', type: 'string', enum: [...words], ...options })

/** A field of a patch, in which null clears the field. */
export const OrNull = <T extends TSchema>(schema: T) => {
  const { description = '', examples } = schema
  return Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()], { description, examples }))
}

type PatchFields<Fields extends TProperties> = {
  [Name in keyof Fields]: TOptional<
    Fields[Name] extends TOptional<TSchema> ? TUnsafe<Static<Fields[Name]> | null> : Fields[Name]
  >
}

/**
 * The patch of a record with this input: each field is optional, and null clears one that the input need not have.
 * Where null clears nothing, a patch is the `Type.Partial` of the input.
 */
export const patchOf = <Fields extends TProperties>(
  { properties }: TObject<Fields>,
  options: Record<string, unknown> = {},
) =>
  closed(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => {
        const isClearable = OptionalKind in schema
        return [name, Type.Optional(isClearable ? OrNull(Type.Optional(schema, false)) : schema)]
      }),
    ) as PatchFields<Fields>,
    options,
  )

/** ISO 8601 with an offset. Responses use UTC with milliseconds. */
export const DateTime = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ format: 'date-time', description, examples: ['2026-04-29T09:10:00.000Z'], ...options })

/** A calendar day. */
export const Day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] })

export const Int32 = (description: string, example: number, bounds: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ ...bounds, format: 'int32', description, examples: [example] })

/** A number of parts that are ordered, made or delivered together. */
export const Pieces = (description: string, example: number, { minimum = 1 } = {}) =>
  Int32(description, example, { minimum, maximum: 1_000_000_000 })

/** The id or the code of a record that a request refers to. */
export const Id = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: [example] })

export const Ids = (
  what: string,
  example: string,
  options: { minItems?: number; maxItems: number; description: string },
) => Type.Array(Id(`Id of ${what}.`, example), { ...options, examples: [[example]] })

/** The form of ids and codes in paths; anything else is not found. */
export const PATH_ID = /^[A-Za-z0-9._-]{1,64}$/

export const pathParam = <const N extends string>(name: N, description: string, example: string) =>
  Type.Object({ [name]: Type.String({ description, examples: [example] }) } as Record<
    N,
    ReturnType<typeof Type.String>
  >)

/** Body of a batch get. `field` is `ids`, or `codes` where the catalog is keyed by code. */
export const BatchOf = <const F extends 'ids' | 'codes'>(field: F, example: string[]) =>
  closed({
    [field]: Type.Array(Type.String({ description: `One of the ${field}.`, examples: [example[0]] }), {
      minItems: 1,
      maxItems: 100,
      description: `1 to 100 ${field}. Unknown and inaccessible ones are omitted, and repeated ones are returned once.`,
      examples: [example],
    }),
  } as Record<F, ReturnType<typeof Type.Array<ReturnType<typeof Type.String>>>>)

/** Key of the text that describes a pattern or a long enum after "must be". It is not part of the published schema. */
export const FORM = Symbol('form')

/** Control characters, line separators and bidirectional ones, which can disguise a text: for a character class. */
export const NOT_IN_A_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'

/** Characters that show nothing, although they are no spaces: for a character class. */
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'

const LINE_FORM = 'one line without control or bidirectional characters'

/** One line of text, which may be empty. */
export const LineOrEmpty = (maxLength: number, options: Record<string, unknown>) =>
  Text(maxLength, { pattern: `^[^${NOT_IN_A_LINE}]*$`, [FORM]: LINE_FORM, ...options })

/** One line of text with at least one visible character. */
export const Line = (maxLength: number, options: Record<string, unknown>) =>
  Text(maxLength, {
    minLength: 1,
    pattern: `^(?=.*[^\\s${INVISIBLE}])[^${NOT_IN_A_LINE}]*$`,
    [FORM]: `${LINE_FORM}, not blank`,
    ...options,
  })

/** Why something is done. */
export const Reason = (description: string, example: string) => Line(500, { description, examples: [example] })

/** An http or https URL without credentials and fragment, as far as a pattern can tell. */
export const URL_PATTERN = `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@${NOT_IN_A_LINE}][^\\s#${NOT_IN_A_LINE}]*$`
export const URL_FORM = 'an http or https URL without credentials and fragment'

/** Text of any number of lines. */
export const Text = (maxLength: number, options: Record<string, unknown>) =>
  Type.Unsafe<string>({ [Kind]: 'Text', type: 'string', maxLength, ...options })

export const Search = (description: string, example: string) =>
  Type.String({ maxLength: 200, description, examples: [example] })

export const closed = <T extends Record<string, TSchema>>(properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export type Page<T extends TSchema> = Static<ReturnType<typeof PageOf<T>>>

/** The fields of a record in the order of its schema, in which every reader gets them. */
export function inOrderOf<Record extends object>({ properties }: TObject, record: Record): Record {
  const names = Object.keys(properties)
  return Object.fromEntries(
    Object.entries(record).toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b)),
  ) as Record
}
