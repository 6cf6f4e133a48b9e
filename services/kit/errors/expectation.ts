import type { TSchema } from '@sinclair/typebox'
import { FORM } from '../../../proto/http/shapes.ts'

/** What a schema expects, in words that follow "must be". It never repeats the value. */
export function expectation(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(expectation).join(', or ')
  if (schema.enum) return (schema as { [FORM]?: string })[FORM] ?? `one of ${schema.enum.join(', ')}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'integer':
      return `a whole number${between(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${between(schema.minimum, schema.maximum)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${countOf(schema.minItems, schema.maxItems, 'item')}`
    case 'object':
      return `an object${countOf(schema.minProperties, schema.maxProperties, 'field')}`
    case 'string':
      return expectedText(schema)
    default:
      return 'a JSON value'
  }
}

function expectedText(schema: TSchema): string {
  if (schema.format === 'date-time') return 'a date-time with an offset, such as 2026-04-29T09:10:00Z'
  if (schema.format === 'date') return 'a date, such as 2026-04-29'
  if (schema.format === 'uri') return `a URL${countOf(0, schema.maxLength, 'character')}`
  const length = `text${countOf(schema.minLength, schema.maxLength, 'character')}`
  if (schema.pattern === undefined) return length
  const form = (schema as { [FORM]?: string })[FORM]
  return `${length}: ${form ?? `of the form ${schema.pattern}`}`
}

function between(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function countOf(minimum = 0, maximum: number | undefined, unit: string): string {
  if (minimum > 0 && maximum !== undefined) return ` of ${minimum} to ${plural(maximum, unit)}`
  if (minimum > 0) return ` of at least ${plural(minimum, unit)}`
  return maximum === undefined ? '' : ` of at most ${plural(maximum, unit)}`
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
