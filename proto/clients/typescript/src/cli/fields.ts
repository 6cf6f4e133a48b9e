import { InvalidArgumentError, Option } from 'commander'
import { type Document, type Parameter, resolved, type Schema, valueSchema } from './document.ts'
import { kebab } from './names.ts'
import type { Values } from './output.ts'

/** A longer list, such as that of the currencies, is left to the marketplace. */
const MAX_CHOICES = 50
/** The options that give an object. */
const OBJECTS = new WeakSet<Option>()
/** A comma ends a pair only before the next pair, because values may contain commas. */
const BETWEEN_PAIRS = /,(?=[\w.]+=)/

/**
 * The option of a field, a query parameter or a header. An array is the option once for each item, and an object its
 * pairs: `--box x=10,y=20`, `--box x=10 --box y=20`, or JSON.
 */
export function optionOf(document: Document, { name, description: text = '', required, schema }: Parameter): Option {
  const description = required ? `(required) ${text}` : text
  const known = valueSchema(document, schema)
  const flag = `--${kebab(name)}`
  const kind = kindOf(known)
  if (kind === 'boolean') return new Option(`${flag} [value]`, description).choices(['true', 'false']).preset('true')
  if (kind === 'array') {
    const item = valueSchema(document, known.items ?? {})
    const form = kindOf(item) === 'object' ? 'key=value,…' : 'value'
    const option = new Option(`${flag} <${form}>`, `${description} Repeat it for each item.`.trim())
    const add = (value: string, before: unknown[] = []) => [...before, parsedValue(document, item, value)]
    // Completion offers the choices, and the parser checks them.
    if (item.enum && item.enum.length <= MAX_CHOICES) option.choices(item.enum)
    return option.argParser(add)
  }
  if (kind === 'object') {
    const keys = Object.keys(known.properties ?? {})
    const note = keys.length > 0 ? `Keys: ${keys.join(', ')}.` : ''
    const option = new Option(`${flag} <key=value,…>`, `${description} ${note}`.trim())
    OBJECTS.add(option)
    return option.argParser((value, before?: Values) => withPairs(document, known, value, before ?? {}))
  }
  const option = new Option(`${flag} <value>`, description)
  if (known.enum && known.enum.length <= MAX_CHOICES) return option.choices(known.enum)
  return kind === 'number' ? option.argParser((value) => parsedValue(document, known, value)) : option
}

/** Whether options can give the value; otherwise only JSON can. */
export const isGivenByOptions = (document: Document, schema: Schema): boolean =>
  kindOf(valueSchema(document, schema)) !== undefined

function kindOf({ type, enum: words, properties, additionalProperties, items }: Schema) {
  const types = [type].flat()
  if (words !== undefined || types.includes('string')) return 'string'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('boolean')) return 'boolean'
  if (items) return 'array'
  return properties || typeof additionalProperties === 'object' ? 'object' : undefined
}

/** The value of a text: of an object, from JSON or pairs. */
export function parsedValue(document: Document, schema: Schema, text: string): unknown {
  const known = valueSchema(document, schema)
  const kind = kindOf(known)
  if (kind === 'object') return withPairs(document, known, text, {})
  if (kind === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It is not true or false.')
    return text === 'true'
  }
  if (kind === 'number') {
    if (text.trim() === '' || !Number.isFinite(Number(text))) throw new InvalidArgumentError('It is not a number.')
    return Number(text)
  }
  const { enum: words } = known
  if (words && words.length <= MAX_CHOICES && !words.includes(text))
    throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`)
  return text
}

function withPairs(document: Document, schema: Schema, text: string, before: Values): Values {
  if (text.startsWith('{')) {
    try {
      return { ...before, ...(JSON.parse(text) as Values) }
    } catch {
      throw new InvalidArgumentError('It is not JSON.')
    }
  }
  return text.split(BETWEEN_PAIRS).reduce((object, pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw new InvalidArgumentError('Give pairs such as key=value, or JSON.')
    return withValue(document, schema, { path: pair.slice(0, at).split('.'), text: pair.slice(at + 1), object })
  }, before)
}

interface Assignment {
  path: readonly string[]
  text: string
  object: Values
}

/** The object with one more value; a repeated key of an array adds an item. */
function withValue(document: Document, schema: Schema, { path, text, object }: Assignment): Values {
  const { properties = {}, additionalProperties } = valueSchema(document, schema)
  const [first = '', ...rest] = path
  const declared = Object.hasOwn(properties, first) ? properties[first] : undefined
  if (!declared) {
    // The keys of a map may have dots.
    if (typeof additionalProperties !== 'object')
      throw new InvalidArgumentError(`The keys are ${Object.keys(properties).join(', ')}.`)
    return { ...object, [path.join('.')]: parsedValue(document, additionalProperties, text) }
  }
  const known = valueSchema(document, declared)
  if (rest.length > 0) {
    if (kindOf(known) !== 'object') throw new InvalidArgumentError(`${first} has no keys.`)
    const inner = (object[first] ?? {}) as Values
    return { ...object, [first]: withValue(document, known, { path: rest, text, object: inner }) }
  }
  if (kindOf(known) !== 'array') return { ...object, [first]: parsedValue(document, known, text) }
  const items = (object[first] ?? []) as unknown[]
  return { ...object, [first]: [...items, parsedValue(document, resolved<Schema>(document, known.items ?? {}), text)] }
}

/** `--box.x=10` is `--box x=10` where the option gives an object. */
export function withDottedFlags(words: readonly string[], options: readonly Option[]): string[] {
  const objects = new Set(options.flatMap((option) => (OBJECTS.has(option) ? option.long : [])))
  return words.flatMap((word) => {
    const [, flag = '', pair = ''] = /^(--[a-z][a-z0-9-]*)\.([\w.]+=.*)$/s.exec(word) ?? []
    return objects.has(flag) ? [flag, pair] : [word]
  })
}
