import { wrong, wrongValue } from './problems.ts'

/** Attributes by their names in lower case. A map has no `__proto__`. */
export type Attributes = ReadonlyMap<string, unknown>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export const attributesOf = (value: Record<string, unknown>): Attributes =>
  new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]))

/** A text, or undefined where the attribute has no value. */
export function textOf(value: unknown, attribute: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrongValue(attribute, 'must be a text')
  return value
}

/** Entra ID sends "True" and "False". */
export function booleanOf(value: unknown, attribute: string): boolean {
  const spelled = typeof value === 'string' ? value.toLowerCase() : value
  if (spelled === true || spelled === 'true') return true
  if (spelled === false || spelled === 'false') return false
  throw wrongValue(attribute, 'must be true or false')
}

/** The elements of a list; one alone counts as a list. */
export function elementsOf(value: unknown, attribute: string): Attributes[] {
  const elements = Array.isArray(value) ? value : [value]
  return elements.map((each) => {
    if (!isObject(each)) throw wrongValue(attribute, 'must be a list of objects')
    return attributesOf(each)
  })
}

/** Refuses a body that is no object of attributes. */
export function bodyOf(body: Record<string, unknown>): Attributes {
  const attributes = attributesOf(body)
  const schemas = attributes.get('schemas')
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.every((each) => typeof each === 'string')))
    throw wrong('invalidSyntax', 'schemas', 'must be a list of texts')
  return attributes
}
