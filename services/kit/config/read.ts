import { existsSync, readFileSync } from 'node:fs'
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

type Environment = Readonly<Record<string, string | undefined>>

/** The text of a secret: that of its variable, or that of the file that `<name>_FILE` names. */
export function secretIn(env: Environment, name: string): string | undefined {
  const missing = missingFileOf(env, name)
  if (missing) throw new BadConfiguration([missing])
  const file = env[`${name}_FILE`]
  return env[name] || !file ? env[name] : readFileSync(file, 'utf8').trimEnd()
}

function missingFileOf(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`]
  if (env[name] || !file || existsSync(file)) return undefined
  return `${name}_FILE names ${file}, which does not exist.`
}

/**
 * Reads the variables of a schema from an environment. Empty variables count as unset. Secrets of the schema
 * (`secret: true`) may be in files. `problemsOf` checks rules that involve several variables.
 */
export function readConfig<S extends TObject>(
  schema: S,
  env: Environment,
  problemsOf: (values: Static<S>) => readonly string[] = () => [],
): Static<S> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, property] of Object.entries(schema.properties)) {
    const missing = property.secret && missingFileOf(env, name)
    if (missing) {
      problems.push(missing)
      continue
    }
    const text = property.secret ? secretIn(env, name) : env[name]
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
