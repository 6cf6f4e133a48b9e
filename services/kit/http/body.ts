import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import type { FieldError } from '../../../proto/errors.ts'
import type { Operation } from '../../../proto/http/operation.ts'
import { oneOf } from '../../../proto/messages.ts'
import { expectation } from '../errors/expectation.ts'
import { invalidField, MAX_FIELD_ERRORS, refuse, requireValid } from '../errors/refusal.ts'
import type { BodyBudget, Reservation } from '../limits/body-budget.ts'
import { contentLengthOf } from '../limits/content-length.ts'
import { syntaxProblem } from './json-syntax.ts'

const BODY_LIMITS = {
  maxDepth: 32,
  /** Fields and list items together. The largest valid body, a factory with all its capabilities, has 20,918. */
  maxValues: 25_000,
  /** Time for the whole body. After it the request is refused and the received bytes are released. */
  timeoutMs: 10_000,
}

const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const SCIM_MEDIA_TYPE = /^application\/scim\+json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** Throws 413 before the body is read if its `Content-Length` exceeds the limit. */
export function refuseLongBody(request: Request, maxBytes: number): void {
  if ((contentLengthOf(request) ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

const JSON_NAME = 'application/json'
const SCIM_NAME = 'application/scim+json'
const CSV_NAME = 'text/csv'
const FORM_NAME = 'application/x-www-form-urlencoded'

/**
 * Throws 415 unless the body is `application/json` in UTF-8, and for any JSON if a form is required. A request without
 * a body needs no media type.
 */
export function refuseOtherMediaTypes(
  request: Request,
  { form, csv, scim }: Pick<Operation, 'form' | 'csv' | 'scim'> = {},
): void {
  const type = request.headers.get('content-type')
  if (type === null && isEmpty(request)) return
  if (type !== null && form !== 'required' && JSON_MEDIA_TYPE.test(type)) return
  if (type !== null && scim && SCIM_MEDIA_TYPE.test(type)) return
  const accepted = [
    ...(scim ? [SCIM_NAME] : []),
    ...(form === 'required' ? [] : [JSON_NAME]),
    ...(form ? [FORM_NAME] : []),
    ...(csv ? [CSV_NAME] : []),
  ]
  throw refuse('unsupported_media_type', { detail: `Send the body as ${oneOf(accepted)}.` })
}

const isEmpty = (request: Request) => !request.headers.has('transfer-encoding') && (contentLengthOf(request) ?? 0) === 0

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The limits of one request's body. */
export interface BodyLimit {
  maxBytes: number
  budget: BodyBudget
  /** The client that the bytes are counted for. */
  client: string
}

/** The JSON value of a request; undefined for an empty body. Depth is checked before the parser recurses. */
export async function readJson(request: Request, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(request, limit)
  if (bytes.byteLength === 0) return undefined
  refuseDeepJson(bytes)
  const text = textOf(bytes, 'must be JSON in UTF-8')
  const value = parsed(text)
  // In JSON of valid UTF-8 only an escape can stand for NUL or a lone surrogate.
  if (text.includes('\\u')) refuseUnstorableText(value)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidField('body', `must be JSON: ${syntaxProblem(text)}`)
  }
}

/** The text of a body in UTF-8. */
export function textOf(bytes: Uint8Array, message: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidField('body', message)
  }
}

/** Throws for text that Postgres cannot store. */
export function refuseUnstorableText(value: unknown): void {
  const unstorable: FieldError[] = []
  findUnstorableText(value, '', unstorable)
  requireValid(unstorable)
}

export async function readBytes(request: Request, { maxBytes, budget, client }: BodyLimit): Promise<Uint8Array> {
  const length = contentLengthOf(request)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const reservation = budget.reserve(client, length ?? 0, reject)
  // Bounds the time for which an unfinished body occupies memory.
  const timer = setTimeout(() => reject(invalidField('body', 'was not sent in time')), BODY_LIMITS.timeoutMs)
  try {
    // `request.body` would create a stream, which costs more than everything else for a short body.
    if (length !== undefined) request.bytes().then(resolve, reject)
    else if (request.body) readStream(request.body, maxBytes, reservation).then(resolve, reject)
    else return new Uint8Array()
    return await promise
  } finally {
    clearTimeout(timer)
    reservation.release()
  }
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  reservation: Reservation,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of body) {
    total += chunk.byteLength
    if (total > maxBytes) throw tooLarge(maxBytes)
    reservation.grow(chunk.byteLength)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (maxBytes: number) =>
  refuse('payload_too_large', { detail: `A body may have at most ${maxBytes} bytes.` })

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Limits depth and number of values before the body is parsed: 80,000 fields in one body block all other requests for a
 * tenth of a second. Characters inside strings do not count.
 */
function refuseDeepJson(bytes: Uint8Array): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++
      if (++depth > BODY_LIMITS.maxDepth)
        throw invalidField('body', `must not be nested deeper than ${BODY_LIMITS.maxDepth}`)
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    else if (byte === COMMA) values++
    if (values > BODY_LIMITS.maxValues)
      throw invalidField('body', `must not have more than ${BODY_LIMITS.maxValues} values`)
  }
}

/** NUL and lone surrogates are valid JSON, but Postgres stores them in neither text nor jsonb. */
function findUnstorableText(value: unknown, path: string, errors: FieldError[]): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) errors.push({ field: path || 'body', message: 'must not contain NUL' })
    else if (!value.isWellFormed()) errors.push({ field: path || 'body', message: 'must be well-formed Unicode' })
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnstorableText(item, joinPath(path, String(index)), errors)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key.includes('\0') || !key.isWellFormed()) {
        errors.push({ field: path || 'body', message: 'must not have a name with NUL or lone surrogates' })
      } else findUnstorableText(item, joinPath(path, key), errors)
    }
  }
}

const joinPath = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/** A validator for one schema, compiled once for each operation. */
export function bodyChecker<B extends TSchema>(schema: B): (value: unknown) => Static<B> {
  const problemsOf = problemFinder(schema)
  return (value) => {
    if (value === undefined) throw invalidField('body', 'is required')
    const problems = problemsOf(value)
    requireValid(problems)
    return value as Static<B>
  }
}

/** Finds the problems of a value that a schema refuses, at most one for each field. */
export function problemFinder(schema: TSchema): (value: unknown) => FieldError[] {
  const check = TypeCompiler.Compile(schema)
  return (value) => {
    if (check.Check(value)) return []
    const errors = new Map<string, FieldError>()
    for (const error of check.Errors(value)) {
      const { path, type, schema: part } = skipNullBranch(error)
      // Keys of a record come from the caller: the error names the record and never repeats the key.
      const isRecordKey = type === ValueErrorType.ObjectAdditionalProperties && part.patternProperties !== undefined
      const field = fieldOf(isRecordKey ? path.slice(0, path.lastIndexOf('/')) : path)
      if (!errors.has(field)) errors.set(field, { field, message: messageFor(type, part) })
      if (errors.size === MAX_FIELD_ERRORS) break
    }
    return [...errors.values()]
  }
}

/** For a nullable schema, the error of its other branch instead of "no branch matches". */
function skipNullBranch(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union) return error
  const index = (error.schema.anyOf as TSchema[]).findIndex(({ type }) => type !== 'null')
  return error.errors[index]?.First() ?? error
}

const fieldOf = (pointer: string) =>
  pointer === ''
    ? 'body'
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 100))
        .join('.')

function messageFor(type: ValueErrorType, schema: TSchema): string {
  if (type === ValueErrorType.ObjectAdditionalProperties && schema.patternProperties) {
    return 'has a name that is not allowed here'
  }
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'is not a field of this request'
  if (type === ValueErrorType.ObjectRequiredProperty) return 'is required'
  return `must be ${expectation(schema)}`
}
