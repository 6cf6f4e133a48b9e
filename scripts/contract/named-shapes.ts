import { SHAPES } from '../../services/testing/operations/contract.ts'
import { plain } from './operation.ts'

const NAMES = new Map([...SHAPES].map(([name, schema]) => [JSON.stringify(plain(schema)), name]))

/** Replaces each named schema by a reference to the components. Generated clients use its name. */
export function withReferences(node: unknown, used: Map<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, used))
  if (node === null || typeof node !== 'object') return node
  const name = 'type' in node ? NAMES.get(JSON.stringify(node)) : undefined
  const inside = () =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withReferences(value, used)]))
  if (name === undefined) return inside()
  if (!used.has(name)) used.set(name, inside())
  return { $ref: `#/components/schemas/${name}` }
}

/** Schemas in the order of their names. */
export const sorted = (schemas: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
