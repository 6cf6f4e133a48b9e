import { type Documented, resolved, type Schema } from './document.ts'

/** What a caller sends to an operation. */
export interface Input {
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Record<string, string>
}

/** A place in a request: `path.id`, `query.userId`, `body.customFields.0.fieldId`. */
export type Place = string

/** The example of a schema; of an object every field, the optional ones too. Throws where the document has none. */
export function exampleOf(schema: Schema, at: Place): unknown {
  const known = resolved(schema)
  if (known.properties) {
    return Object.fromEntries(
      Object.entries(known.properties).map(([name, property]) => [name, exampleOf(property, `${at}.${name}`)]),
    )
  }
  // That of a field which may be null stands beside its types.
  const [example] = schema.examples ?? known.examples ?? []
  if (example !== undefined) return structuredClone(example)
  if (known.items) return [exampleOf(known.items, `${at}.0`)]
  throw new Error(`${at} has no example in the document, so no request can be made of it`)
}

/** The request that the document shows by its examples; optional query parameters are left out. */
export function exampleInput({ id, params, query, body }: Documented): Input {
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
    headers: {},
  }
}

/** The same input with another value at one place. */
export function withValue(input: Input, place: Place, value: unknown): Input {
  const [part, name, ...rest] = place.split('.') as [string, string | undefined, ...string[]]
  if (part === 'path' && name) return { ...input, params: { ...input.params, [name]: String(value) } }
  if (part === 'query' && name) return { ...input, query: { ...input.query, [name]: String(value) } }
  return { ...input, body: replaced(input.body, name === undefined ? [] : [name, ...rest], value) }
}

/** Own properties alone are copied and set: a field may well be called `__proto__`. */
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

/** Every field of a request body, those inside of objects and lists too. */
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

/** Names of fields and parameters that say which record is meant. */
const IDENTIFIER = /^(ids?|codes?|token)$|(Ids?|Codes?|Token|_token)$/

/** Every place of an operation at which a record, or what opens one, is named. */
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

/** The name of a field; for an item of a list that of the list. */
export function lastName(place: Place): string {
  const names = place.split('.').filter((part) => !/^\d+$/.test(part))
  return names.at(-1) ?? ''
}

/** Path and query as they go into a request line. */
export function targetOf({ path }: Documented, { params, query }: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}
