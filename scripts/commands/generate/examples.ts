import type { TSchema } from '@sinclair/typebox'

/** The example of a schema, with all fields of an object. Throws if there is none. */
export function exampleOf(schema: TSchema, at: string): unknown {
  const { properties, items, examples, const: constant } = schema
  if (constant !== undefined) return constant
  if (properties) {
    return Object.fromEntries(
      Object.entries<TSchema>(properties).map(([name, property]) => [name, exampleOf(property, `${at}.${name}`)]),
    )
  }
  const [example] = (examples as unknown[] | undefined) ?? []
  if (example !== undefined) return example
  if (items) return [exampleOf(items, `${at}.0`)]
  throw new Error(`${at} has no example`)
}
