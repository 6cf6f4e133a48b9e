/** What the texts read of a schema. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

export type Resolve = <T extends object>(value: T | { $ref?: string }) => T

/** Schemas are nested less deeply; a recursive one ends here. */
const MAX_DEPTH = 6

interface FieldText {
  name: string
  type: string
  required: boolean
  description: string
}

/** The fields of a schema by their paths, such as `address.lines[]`. */
export function fieldsOf(schema: Schema, resolve: Resolve, prefix = '', depth = 0): FieldText[] {
  const { items, properties = {}, required = [] } = known(schema, resolve)
  if (depth > MAX_DEPTH) return []
  if (items) return fieldsOf(items, resolve, prefix === '' ? '' : `${prefix}[]`, depth + 1)
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const { description = '' } = known(property, resolve)
    return [
      { name: path, type: typeOf(property, resolve), required: required.includes(name), description },
      ...fieldsOf(property, resolve, path, depth + 1),
    ]
  })
}

/** The type of a value in words, with what it is limited to. */
export function typeOf(schema: Schema, resolve: Resolve): string {
  const {
    type,
    format,
    enum: words,
    items,
    additionalProperties,
    default: byDefault,
    ...limits
  } = known(schema, resolve)
  const names = [type].flat().filter((name) => name !== undefined)
  const base = words
    ? words.filter((word) => word !== null).join(' \\| ')
    : items
      ? `array of ${typeOf(items, resolve)}`
      : names.filter((name) => name !== 'null').join(' or ') || 'any'
  return [
    format && !words ? `${base} (${format})` : base,
    names.includes('null') ? 'or null' : '',
    range(limits.minLength, limits.maxLength, 'characters'),
    range(limits.minItems, limits.maxItems, 'items'),
    range(limits.minimum, limits.maximum, ''),
    byDefault === undefined ? '' : `default ${JSON.stringify(byDefault)}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return ''
  const numbers =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`
  return unit === '' ? numbers : `${numbers} ${unit}`
}

/** A value that the schema allows, from its examples. `all` includes the optional fields. */
export function exampleOf(schema: Schema, resolve: Resolve, options: { all: boolean }, depth = 0): unknown {
  const { examples, properties, items, enum: words, type, required = [] } = known(schema, resolve)
  if (examples?.[0] !== undefined) return examples[0]
  if (properties) {
    const names = options.all ? Object.keys(properties) : required
    const shown = names.length > 0 ? names : Object.keys(properties).slice(0, 1)
    if (depth > MAX_DEPTH) return {}
    return Object.fromEntries(
      shown.map((name) => [name, exampleOf(properties[name] ?? {}, resolve, options, depth + 1)]),
    )
  }
  if (items) return depth > MAX_DEPTH ? [] : [exampleOf(items, resolve, options, depth + 1)]
  if (words) return words[0]
  return { boolean: false, integer: 1, number: 1, object: {} }[String([type].flat()[0])] ?? ''
}

/** A schema with what it refers to or is composed of: of alternatives, the first that is not null. */
function known(schema: Schema, resolve: Resolve): Schema {
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  const named = $ref === undefined ? {} : known(resolve<Schema>({ $ref }), resolve)
  const [present] = [...(anyOf ?? []), ...(oneOf ?? [])].filter(({ type }) => type !== 'null')
  const parts = [...(allOf ?? []), ...(present ? [present] : [])].map((part) => known(part, resolve))
  return Object.assign({}, named, ...parts, own)
}
