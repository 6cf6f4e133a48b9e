type Json = Record<string, unknown>

/**
 * The OpenAPI 3.1 document in OpenAPI 3.0, for tools that lack 3.1. It covers what our documents use: null in types,
 * constants, lists of examples, descriptions beside references, and exclusive bounds. OpenAPI 3.0 has no webhooks.
 */
export function openApi30(document: object): Json {
  const { webhooks: _, tags, 'x-tagGroups': groups, ...rest } = document as Json
  const isUsed = (name: unknown) => name !== 'webhook-events'
  return {
    ...(converted(rest) as Json),
    openapi: '3.0.3',
    tags: (tags as Json[]).filter(({ name }) => isUsed(name)),
    'x-tagGroups': (groups as { name: string; tags: string[] }[])
      .map((group) => ({ ...group, tags: group.tags.filter(isUsed) }))
      .filter((group) => group.tags.length > 0),
  }
}

function converted(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(converted)
  if (node === null || typeof node !== 'object') return node
  const { type, const: constant, examples, $ref, exclusiveMinimum, exclusiveMaximum, ...others } = node as Json
  const inside = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, fieldOf(key, value)]))
  return {
    ...(typeof $ref === 'string' ? referenceOf($ref, others) : {}),
    ...typeOf(type),
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(Array.isArray(examples)
      ? { example: examples[0] }
      : examples === undefined
        ? {}
        : { examples: converted(examples) }),
    ...boundOf('minimum', 'exclusiveMinimum', exclusiveMinimum),
    ...boundOf('maximum', 'exclusiveMaximum', exclusiveMaximum),
    ...inside,
  }
}

/** In OpenAPI 3.0 nothing stands beside a reference. */
const referenceOf = ($ref: string, siblings: Json): Json =>
  Object.keys(siblings).length > 0 ? { allOf: [{ $ref }] } : { $ref }

function typeOf(type: unknown): Json {
  if (type === undefined) return {}
  if (!Array.isArray(type)) return { type: typeof type === 'string' ? type : converted(type) }
  const [known] = type.filter((name) => name !== 'null')
  return { type: known, nullable: true }
}

const boundOf = (bound: string, exclusive: string, value: unknown): Json =>
  typeof value === 'number' ? { [bound]: value, [exclusive]: true } : {}

function fieldOf(key: string, value: unknown): unknown {
  if (key === 'properties') {
    // The keys are names of fields.
    return Object.fromEntries(Object.entries(value as Json).map(([name, field]) => [name, converted(field)]))
  }
  // The value of an example is no schema.
  if (key === 'example' || key === 'value') return value
  // Tools know lines of JSON as bytes only.
  if (key === 'application/x-ndjson') return { schema: { type: 'string', format: 'binary' } }
  return converted(value)
}
