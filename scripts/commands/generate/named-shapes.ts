import { SHAPES } from '../../../proto/http/operations.ts'
import { NAMED_WORDS } from '../../../proto/http/words.ts'
import type { Json } from './components.ts'
import { type Direction, plain, publishedSchema } from './published-schema.ts'

const namesIn = (direction: Direction) =>
  new Map(
    [...SHAPES].map(([name, schema]) => [JSON.stringify(publishedSchema(plain(schema), direction)), name] as const),
  )
const NAMES: Readonly<Record<Direction, ReadonlyMap<string, string>>> = {
  request: namesIn('request'),
  response: namesIn('response'),
}
const WORDS = new Map(Object.entries(NAMED_WORDS).map(([name, { values }]) => [JSON.stringify(values), name]))

/** The schemas that a document uses, by name. */
export class UsedSchemas extends Map<string, unknown> {
  /** Whether a reference may have a description of its own: in OpenAPI 3.1, and not in AsyncAPI. */
  readonly allowsSiblings: boolean

  constructor({ allowsSiblings }: { allowsSiblings: boolean }) {
    super()
    this.allowsSiblings = allowsSiblings
  }
}

/**
 * A schema as it is published, with a reference to the components for each named one, lists of words and pages
 * included. Generated clients use its name.
 */
export const withReferences = (schema: unknown, direction: Direction, used: UsedSchemas): unknown =>
  replaced(publishedSchema(schema, direction), direction, used)

function replaced(node: unknown, direction: Direction, used: UsedSchemas): unknown {
  if (Array.isArray(node)) return node.map((item) => replaced(item, direction, used))
  if (node === null || typeof node !== 'object') return node
  const words = 'enum' in node ? WORDS.get(JSON.stringify(node.enum)) : undefined
  if (words !== undefined) return wordsReference(words, node as Json, used)
  const inside = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replaced(value, direction, used)]))
  const name = 'type' in node ? (NAMES[direction].get(JSON.stringify(node)) ?? listNameOf(inside)) : undefined
  return name === undefined ? inside : referenceTo(stored(name, inside, used))
}

/**
 * The name of a stored schema. If responses also use it, its closed form has a name of its own: `MoneyInput` beside
 * `Money`.
 */
function stored(name: string, schema: Json, used: UsedSchemas): string {
  const text = JSON.stringify(schema)
  const free = [name, `${name}Input`].find((each) => !used.has(each) || JSON.stringify(used.get(each)) === text)
  if (free === undefined) throw new Error(`${name} has more than two forms`)
  used.set(free, schema)
  return free
}

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The reference keeps the meaning of the words at its place. */
function wordsReference(name: string, { type, enum: values, ...own }: Json, used: UsedSchemas): Json {
  const { description } = NAMED_WORDS[name] as (typeof NAMED_WORDS)[string]
  if (!used.has(name)) used.set(name, { type, enum: values, description })
  return { ...referenceTo(name), ...(used.allowsSiblings ? own : {}) }
}

const REFERENCE = /^#\/components\/schemas\/(\w+)$/

/** `PartPage` for a page of parts, `MaterialList` for a list without pages. */
function listNameOf({ type, properties }: Json): string | undefined {
  const { items, hasMore, ...others } = (properties ?? {}) as Record<string, { items?: { $ref?: string } }>
  const item = REFERENCE.exec(items?.items?.$ref ?? '')?.[1]
  if (type !== 'object' || item === undefined || Object.keys(others).length > 0) return undefined
  return `${item}${hasMore ? 'Page' : 'List'}`
}

/** Schemas in the order of their names. */
export const sorted = (schemas: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
