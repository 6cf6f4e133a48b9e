import type { SsoProblem } from '../../../proto/http/organization/sso.ts'

/** A sign-in at a provider that fails. `message` is for the administrator who tests. */
export class SsoRefused extends Error {
  readonly problem: SsoProblem

  constructor(problem: SsoProblem, message: string) {
    super(message)
    this.name = 'SsoRefused'
    this.problem = problem
  }
}

/** The groups of a person. Undefined where the provider had too many to name, which says nothing about them. */
export function groupsIn(claims: Readonly<Record<string, unknown>>, claim: string): ReadonlySet<string> | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (value === undefined) {
    const elsewhere = claims._claim_names
    return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim)
      ? undefined
      : new Set()
  }
  const names = Array.isArray(value) ? value : [value]
  return new Set(names.filter((name) => typeof name === 'string'))
}

/** The role ids that groups grant. */
export const rolesOfGroups = (groups: ReadonlySet<string>, map: Readonly<Record<string, string>>) =>
  new Set(Object.entries(map).flatMap(([group, roleId]) => (groups.has(group) ? [roleId] : [])))

const MAX_NAME_CHARACTERS = 100
const NOT_IN_A_NAME = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A name as a user has it, or the fallback where none is left. */
export function nameOf(text: string | undefined, fallback: string): string {
  const line = (text ?? '').replaceAll(NOT_IN_A_NAME, ' ').replaceAll(/\s+/g, ' ').trim()
  const clipped = Array.from(line).slice(0, MAX_NAME_CHARACTERS).join('').trim()
  return clipped === '' ? fallback : clipped
}
