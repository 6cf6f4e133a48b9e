import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { distance } from 'fastest-levenshtein'
import type { FieldError } from '../../../proto/errors.ts'
import { expectation } from '../errors/expectation.ts'
import { MAX_FIELD_ERRORS, requireValid } from '../errors/refusal.ts'

/** Decodes the text of a parameter; undefined for invalid text. */
type Decode = (text: string) => unknown

interface Parameter {
  name: string
  decode: Decode
  check: TypeCheck<TSchema>
  fallback: unknown
  required: boolean
  /** An empty value counts as not sent. */
  emptyIsAbsent: boolean
  expected: string
}

const STRICT_INTEGER = /^-?(0|[1-9]\d{0,15})$/

const decodeInteger: Decode = (text) => (STRICT_INTEGER.test(text) ? Number(text) : undefined)
const decodeBoolean: Decode = (text) => (text === 'true' ? true : text === 'false' ? false : undefined)
const decodeText: Decode = (text) => text

/**
 * A strict reader of one operation's query: integers and booleans in one spelling, each parameter at most once,
 * undeclared ones refused, because a list that ignores a filter is taken for a filtered one. Elysia's own coercion
 * accepts `0x10` as 16. Compiled once for each operation.
 */
export function queryReader<Q extends TObject>(schema: Q): (search: string) => Static<Q> {
  const parameters = Object.entries(schema.properties).map(([name, property]) => parameterOf(schema, name, property))
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const defaults = Object.freeze(
    Object.fromEntries(parameters.filter((p) => p.fallback !== undefined).map((p) => [p.name, p.fallback])),
  )
  const needed = parameters.filter((p) => p.required && p.fallback === undefined)

  return (search) => {
    if (search === '' && needed.length === 0) return defaults as Static<Q>
    const values: Record<string, unknown> = { ...defaults }
    const seen = new Set<string>()
    const errors: FieldError[] = []
    for (const pair of search.split('&')) {
      if (pair === '') continue
      if (errors.length === MAX_FIELD_ERRORS) break
      const cut = pair.indexOf('=')
      const name = decoded(cut === -1 ? pair : pair.slice(0, cut))
      const declared = name === undefined ? undefined : byName.get(name)
      if (!declared) {
        errors.push(unknownParameter(name, [...byName.keys()]))
        continue
      }
      const text = decoded(cut === -1 ? '' : pair.slice(cut + 1))
      if (seen.has(declared.name)) errors.push({ field: declared.name, message: 'may be given once' })
      else readInto(values, declared, text, errors)
      seen.add(declared.name)
    }
    for (const { name } of needed) if (!seen.has(name)) errors.push({ field: name, message: 'is required' })
    requireValid(errors)
    return values as Static<Q>
  }
}

const MAX_SHOWN_CHARACTERS = 100

function unknownParameter(name: string | undefined, declared: readonly string[]): FieldError {
  if (name === undefined) return { field: 'query', message: 'has a name that is not percent-encoded UTF-8' }
  const field = name.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed() || 'query'
  const meant = meantParameter(name, declared)
  if (meant !== undefined) return { field, message: `is not a parameter of this request. Probably meant: ${meant}` }
  const all = declared.length > 0 ? `which takes ${declared.join(', ')}` : 'which takes none'
  return { field, message: `is not a parameter of this request, ${all}` }
}

function readInto(
  values: Record<string, unknown>,
  { name, decode, check, emptyIsAbsent, expected }: Parameter,
  text: string | undefined,
  errors: FieldError[],
) {
  if (text === '' && emptyIsAbsent) return
  const value = text === undefined ? undefined : decode(text)
  if (value === undefined || !check.Check(value)) errors.push({ field: name, message: `must be ${expected}` })
  else values[name] = value
}

function parameterOf(schema: TObject, name: string, property: TSchema): Parameter {
  const kind = property.type as string
  return {
    name,
    decode: kind === 'integer' ? decodeInteger : kind === 'boolean' ? decodeBoolean : decodeText,
    check: TypeCompiler.Compile(property),
    fallback: property.default,
    required: schema.required?.includes(name) ?? false,
    emptyIsAbsent: name === 'q' || name === 'search',
    expected: expectation(property),
  }
}

/** Undefined for invalid percent-encoding and for NUL, which no column can store. */
function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    const value = decodeURIComponent(text.replaceAll('+', ' '))
    return value.includes('\0') ? undefined : value
  } catch {
    return undefined
  }
}

/** Names that other APIs use for these parameters. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  pageSize: ['limit', 'size', 'perpage', 'count', 'take'],
  q: ['search', 'query', 'text', 'term'],
  search: ['q', 'query', 'text', 'term'],
  from: ['since', 'after', 'start'],
  to: ['until', 'before', 'end'],
}

/** At least half of the letters must agree. */
const MIN_SIMILARITY = 0.5
const MAX_COMPARED_CHARACTERS = 40

/** The declared parameter that an unknown one was probably meant to be; undefined when none resembles it. */
function meantParameter(unknown: string, declared: readonly string[]): string | undefined {
  if (unknown.length > MAX_COMPARED_CHARACTERS) return undefined
  const sent = plain(unknown)
  const named = declared.find((name) => plain(name) === sent || USUAL_NAMES[name]?.includes(sent))
  if (named !== undefined) return named
  const similarity = (name: string) => 1 - distance(plain(name), sent) / Math.max(name.length, sent.length)
  const [closest] = declared.toSorted((one, other) => similarity(other) - similarity(one))
  return closest !== undefined && similarity(closest) >= MIN_SIMILARITY ? closest : undefined
}

/** `page_size` and `PageSize` are spellings of `pageSize`. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')
