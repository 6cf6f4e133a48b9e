import { type Documented, FORM, resolved, type Schema } from './document.ts'

/** The input of an operation. */
export interface Input {
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Record<string, string>
}

/** A place in a request: `path.id`, `header.cookie`, `query.userId`, `body.customFields.0.fieldId`. */
export type Place = string

/** The example of a schema, with all fields of an object. Throws if the document has no example. */
export function exampleOf(schema: Schema, at: Place): unknown {
  const known = resolved(schema)
  if (known.properties) {
    return Object.fromEntries(
      Object.entries(known.properties).map(([name, property]) => [name, exampleOf(property, `${at}.${name}`)]),
    )
  }
  // The example of a nullable field is next to its types.
  const [example] = schema.examples ?? known.examples ?? []
  if (example !== undefined) return structuredClone(example)
  if (known.items) return [exampleOf(known.items, `${at}.0`)]
  throw new Error(`${at} has no example in the document`)
}

/** A request with the examples of the document, without optional query parameters. */
export function exampleInput({ id, params, query, body, contract }: Documented): Input {
  const texts = (parameters: typeof params, place: string) =>
    Object.fromEntries(
      parameters.map(({ name, example }) => {
        if (example === undefined) throw new Error(`${id}: ${place}.${name} has no example in the document`)
        return [name, String(example)]
      }),
    )
  return {
    params: texts(params, 'path'),
    query: texts(
      query.filter(({ required }) => required),
      'query',
    ),
    body: body === undefined ? undefined : exampleOf(body, 'body'),
    headers: contract.form === 'required' ? { 'content-type': FORM } : {},
  }
}

/** Replaces the value at one place. */
export function withValue(input: Input, place: Place, value: unknown): Input {
  const [part, name, ...rest] = place.split('.') as [string, string | undefined, ...string[]]
  if (part === 'path' && name) return { ...input, params: { ...input.params, [name]: String(value) } }
  if (part === 'header' && name) return { ...input, headers: { ...input.headers, [name]: String(value) } }
  if (part === 'query' && name) return { ...input, query: { ...input.query, [name]: String(value) } }
  return { ...input, body: replaced(input.body, name === undefined ? [] : [name, ...rest], value) }
}

/** Only own properties are copied and set, because a field can be named `__proto__`. */
function replaced(node: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (Array.isArray(node))
    return node.map((item, index) => (String(index) === name ? replaced(item, rest, value) : item))
  const entries = new Map(Object.entries((node ?? {}) as Record<string, unknown>))
  entries.set(name, replaced(entries.get(name), rest, value))
  return Object.fromEntries(entries)
}

export interface Field {
  place: Place
  schema: Schema
  required: boolean
}

/** All fields of a request body, including nested ones. */
export function fieldsOf(schema: Schema, at: Place = 'body'): Field[] {
  const known = resolved(schema)
  const inside = Object.entries(known.properties ?? {}).flatMap(([name, property]) => {
    const place = `${at}.${name}`
    const field = { place, schema: resolved(property), required: known.required?.includes(name) ?? false }
    return [field, ...fieldsOf(property, place)]
  })
  const items = known.items
    ? [{ place: `${at}.0`, schema: resolved(known.items), required: true }, ...fieldsOf(known.items, `${at}.0`)]
    : []
  return [...inside, ...items]
}

/** Names of fields and parameters that identify a record. */
const IDENTIFIER = /^(ids?|codes?|token)$|(Ids?|Codes?|Token|_token)$/

/** Every place of a request that contains an identifier or a credential. */
export function identifiersOf({ params, query, body }: Documented): Place[] {
  const named = (parameters: typeof params, part: string) => parameters.map(({ name }) => `${part}.${name}`)
  return [
    ...named(params, 'path'),
    ...named(query, 'query').filter((place) => IDENTIFIER.test(lastName(place))),
    ...(body ? fieldsOf(body) : [])
      .filter(({ schema, place }) => schema.type === 'string' && IDENTIFIER.test(lastName(place)))
      .map(({ place }) => place),
  ]
}

/** The input with another text or number in its body. Undefined if the body has neither. */
export function withOtherBody({ body }: Documented, input: Input): Input | undefined {
  for (const { place, schema } of body ? fieldsOf(body) : []) {
    const value = (input.body as Record<string, unknown>)[lastName(place)]
    if (value === undefined || place.split('.').length > 2 || IDENTIFIER.test(lastName(place))) continue
    if (schema.type === 'integer') return withValue(input, place, Number(value) + 1)
    const isText = schema.type === 'string' && !schema.format && !schema.enum && !URL.canParse(String(value))
    if (isText && new RegExp(schema.pattern ?? '').test(`${value} 2`)) return withValue(input, place, `${value} 2`)
  }
  return undefined
}

/** The name of a field; for an item, the name of its list. */
export function lastName(place: Place): string {
  const names = place.split('.').filter((part) => !/^\d+$/.test(part))
  return names.at(-1) ?? ''
}

/** The request target: path and query. */
export function targetOf({ path }: Documented, { params, query }: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}
