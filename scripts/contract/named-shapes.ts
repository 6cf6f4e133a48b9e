import { NAMED_WORDS } from '../../proto/http/words.ts'
import { SHAPES } from '../../services/testing/operations/contract.ts'
import type { Json } from './components.ts'
import { plain } from './operation.ts'

const NAMES = new Map([...SHAPES].map(([name, schema]) => [JSON.stringify(plain(schema)), name]))
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
 * Replaces each named schema by a reference to the components, lists of words and pages included. Generated clients use
 * its name.
 */
export function withReferences(node: unknown, used: UsedSchemas): unknown {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, used))
  if (node === null || typeof node !== 'object') return node
  const words = 'enum' in node ? WORDS.get(JSON.stringify(node.enum)) : undefined
  if (words !== undefined) return wordsReference(words, node as Json, used)
  const inside = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withReferences(value, used)]))
  const name = 'type' in node ? (NAMES.get(JSON.stringify(node)) ?? listNameOf(inside)) : undefined
  if (name === undefined) return inside
  if (!used.has(name)) used.set(name, inside)
  return referenceTo(name)
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
