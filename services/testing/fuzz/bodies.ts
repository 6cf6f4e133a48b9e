import { DOCUMENTED, type Documented, type Schema } from '../operations/document.ts'
import { type Field, fieldsOf, type Input, withValue } from '../operations/inputs.ts'
import { shareOf } from './shares.ts'
import { LONG_TEXTS, MARK, NEAR_NUMBERS, NUMBERS, TEXTS, TIMES } from './texts.ts'

/** A request body, with a name for test output. */
export interface HostileBody {
  name: string
  body: string | Uint8Array
  contentType?: string
}

const DEEP = 10_000
const MIB = 1024 * 1024

const MANY_KEYS = `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":1`).join(',')}}`

/** Bodies that are invalid for every operation, some of them derived from a valid one. */
export function brokenBodies(valid: unknown): HostileBody[] {
  const text = JSON.stringify(valid)
  const bytes = new TextEncoder().encode(text)
  const inside = text.slice(1, -1)
  const named = (bodies: Record<string, string | Uint8Array>) =>
    Object.entries(bodies).map(([name, body]) => ({ name, body }))
  return [
    ...['{', '}', '{"a":', '[1,', '"x', "{'a':1}", '{"a":1,}', '{a:1}', '{} {}', '{}//', '\ufeff{}', '\\', '\0'].map(
      (body) => ({ name: `malformed ${body}`, body }),
    ),
    ...NEAR_NUMBERS.map((body) => ({ name: `not JSON ${body}`, body })),
    ...['null', 'true', '0', '1e999', '""', `"${MARK}"`, '[]', '[{}]', '[null]', `[${text}]`, '{}'].map((body) => ({
      name: `another type ${body.slice(0, 20)}`,
      body,
    })),
    ...[1, Math.floor(bytes.length / 3), bytes.length - 1].map((cut) => ({
      name: `cut at ${cut}`,
      body: bytes.slice(0, cut),
    })),
    ...named({
      empty: '',
      spaces: '  \n',
      'deep array': '['.repeat(DEEP) + ']'.repeat(DEEP),
      'deep array, cut': '['.repeat(DEEP),
      'deep object': `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
      'deep field': `{"${MARK}":${'['.repeat(33)}${']'.repeat(33)}}`,
      'key __proto__': `{"__proto__":{"admin":true},${inside}}`,
      'key constructor': `{"constructor":{"prototype":{"admin":true}},${inside}}`,
      'key toString': `{"toString":1,"hasOwnProperty":1,"toJSON":1,${inside}}`,
      'unknown field': `{"unknown":"${MARK}",${inside}}`,
      'empty key': `{"":"${MARK}",${inside}}`,
      'NUL in a key': `{"a\\u0000":1,${inside}}`,
      'lone surrogate in a key': `{"a\\ud800":1,${inside}}`,
      'key of 100 KB': `{"${'k'.repeat(100_000)}":1,${inside}}`,
      '100,000 keys': MANY_KEYS,
      'over 1 MiB': `{"a":"${'x'.repeat(MIB)}"}`,
      'invalid UTF-8': bytesOf('{"a":"', [0xff, 0xfe, 0xc0, 0xaf], '"}'),
      'surrogate in UTF-8': bytesOf('{"a":"', [0xed, 0xa0, 0x80], '"}'),
      'cut UTF-8': bytesOf('{"a":"', [0xf0, 0x9f, 0x92], '"}'),
      'UTF-16': new Uint8Array(Buffer.from(text, 'utf16le')),
      gzip: Bun.gzipSync(bytes),
    }),
    ...OTHER_MEDIA_TYPES.map((contentType) => ({ name: `content type ${contentType}`, body: text, contentType })),
  ]
}

/** Missing and wrong media types, and those that a lenient check mistakes for JSON. */
const OTHER_MEDIA_TYPES = [
  '',
  'text/plain',
  'text/json',
  'application/jsonx',
  'application/json5',
  'application/x-json',
  'xxxxxxxxxxxxj',
  'application/json, text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; x=y',
  'application/problem+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
]

const bytesOf = (before: string, between: number[], after: string) =>
  new Uint8Array([...Buffer.from(before), ...between, ...Buffer.from(after)])

const RAW = '@raw@'

/** The rules of a field for its values. */
function rulesOf({ schema }: Field): string {
  const { description, examples, ...rules } = schema as Schema & { description?: string }
  return JSON.stringify(rules)
}

const ruleOf = ({ contract }: Documented, field: Field) => `${contract.tag.name} ${rulesOf(field)}`
/** For each kind of record, the first operation with a field of a schema. */
const FIRST = new Map(
  DOCUMENTED.toReversed().flatMap((operation) =>
    (operation.body ? fieldsOf(operation.body) : []).map((field) => [ruleOf(operation, field), operation] as const),
  ),
)

/**
 * Valid bodies with one invalid field, for every field. The first field of a schema gets every text in one operation of
 * each kind of record and a quarter in the others. All fields get a part of the values that the kit refuses for every
 * operation. If each valid request hashes a password (`costly`), no field gets every text.
 */
export function wrongFields(operation: Documented, input: Input, { costly = false } = {}): HostileBody[] {
  const { body } = operation
  if (body === undefined) return []
  const tried = new Set<string>()
  return fieldsOf(body).flatMap((field, at) => {
    const text = JSON.stringify(withValue(input, field.place, RAW).body)
    if (!text.includes(`"${RAW}"`)) return []
    const brief = costly || tried.has(rulesOf(field))
    tried.add(rulesOf(field))
    const texts = FIRST.get(ruleOf(operation, field)) === operation ? 1 : 4
    const share: Share = (values, parts) => shareOf(operation, values, parts, at)
    return wrongValues(field, brief, { share, texts }).map((value) => ({
      name: `${field.place} = ${value.slice(0, 60)}`,
      body: text.replace(`"${RAW}"`, () => value),
    }))
  })
}

const ANY_TYPE = [
  'null',
  'true',
  '""',
  `"${MARK}"`,
  '[]',
  '[null]',
  '[[]]',
  '{}',
  `{"__proto__":{"${MARK}":1}}`,
  `{"constructor":"${MARK}"}`,
  ...NUMBERS,
]

/** JSON escapes that no column can store. */
const UNSTORABLE = [`"${MARK}\\u0000"`, `"${MARK}\\ud800"`, `"\\udc00\\ud800${MARK}"`]

/** A part of values that the kit refuses for all fields. */
type Share = <T>(values: readonly T[], parts: number) => readonly T[]

interface Shares {
  share: Share
  /** Of so many texts a field gets one. */
  texts: number
}

/** Values for one field, as JSON. */
function wrongValues({ schema }: Field, brief: boolean, shares: Shares): string[] {
  const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value))
  return [...shares.share([...ANY_TYPE, ...UNSTORABLE], brief ? 9 : 4), ...json(valuesFor(schema, brief, shares))]
}

function valuesFor(schema: Schema, brief: boolean, { share, texts }: Shares): readonly unknown[] {
  const { type, format, maxLength = 0, maxItems = 0, maxProperties = 0, enum: words, examples = [] } = schema
  if (format === 'date-time') return share(TIMES, brief ? 4 : 1)
  if (words) {
    const others = [...words.map((word) => word.toLowerCase()), ...words.map((word) => word.toUpperCase())]
    return share([...others, `${words[0]} `], 3)
  }
  if (type === 'string') {
    const astral = '\u{1d4b3}'.repeat(maxLength)
    const bounds = share(['x'.repeat(maxLength), 'x'.repeat(maxLength + 1), astral, `${astral}x`], brief ? 4 : 2)
    return brief ? bounds : [...share(TEXTS, texts), ...share(LONG_TEXTS, 2 * texts), ...bounds]
  }
  if (type === 'array') {
    const [first] = (examples[0] ?? [MARK]) as unknown[]
    return [Array(maxItems + 1).fill(first), [first, first], [first, null], [[first]], { 0: first, length: 1 }]
  }
  if (schema.patternProperties) {
    const many = Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, n) => [String(n), 'x']))
    return [many, { [MARK.repeat(10)]: 'x' }, { '\n': 'x' }, { a: 1 }, { a: null }, { a: LONG_TEXTS[0] }]
  }
  return []
}

/** Hostile forms for an operation of OAuth, most of them derived from a valid one. */
export function hostileForms({ body, contract }: Documented, input: Input, { costly = false } = {}): HostileBody[] {
  if (body === undefined || contract.form === undefined) return []
  const valid = input.body as Record<string, string>
  const text = new URLSearchParams(valid).toString()
  const broken = [
    '',
    '&',
    '=',
    '&&==&',
    '%',
    '%zz=%',
    `a=%ff&${text}`,
    `${text}&${text}`,
    `__proto__=1&${text}`,
    '{"a":1}',
  ]
  const many = Array.from({ length: 10_000 }, (_, n) => `${n}=1`).join('&')
  const changed = fieldsOf(body).flatMap(({ place }) => {
    const name = place.replace('body.', '')
    const values = ['a\0b', ...(costly ? [] : ['', ...TEXTS, ...LONG_TEXTS])].map(
      (value) => new URLSearchParams({ ...valid, [name]: value }),
    )
    return [...values, `${name}=x&${name}=y`, `${name}[]=x`, `${name}=%ff`].map(String)
  })
  return [...broken, many, `${'k'.repeat(20_000)}=1`, ...changed].map((form) => ({
    name: `form ${form.slice(0, 60)}`,
    body: form,
    contentType: 'application/x-www-form-urlencoded',
  }))
}
