import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { expectation } from '../errors/expectation.ts'

/** All missing and invalid variables in one error. */
export class BadConfiguration extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'BadConfiguration'
  }
}

/**
 * Reads the variables of a schema from an environment. Empty variables count as unset. `problemsOf` checks rules that
 * involve several variables.
 */
export function readConfig<S extends TObject>(
  schema: S,
  env: Record<string, string | undefined>,
  problemsOf: (values: Static<S>) => readonly string[] = () => [],
): Static<S> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = env[name]
    if (text === undefined || text === '') {
      if (property.default !== undefined) values[name] = property.default
      else if (schema.required?.includes(name)) problems.push(`${name} is missing: ${property.description}`)
      continue
    }
    const value = decode(property, text)
    if (value !== undefined && Value.Check(property, value)) values[name] = value
    else problems.push(`${name} is not valid; it must be ${expectation(property)}: ${property.description}`)
  }
  problems.push(...problemsOf(values as Static<S>))
  if (problems.length > 0) throw new BadConfiguration(problems)
  return values as Static<S>
}

function decode(schema: TSchema, text: string): unknown {
  if (schema.type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  return text
}
