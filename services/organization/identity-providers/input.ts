import { type FieldError, problem } from '../../../proto/errors.ts'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import { domainOf } from './domains.ts'

/** Problems of a provider that need no database. */
export const inputProblems = (
  guard: AddressGuard,
  { domains = [], issuer }: { domains?: readonly string[]; issuer?: string },
): FieldError[] => [
  ...domains.flatMap((name, index) =>
    domainOf(name) === undefined ? [problem(`domains.${index}`, 'is not a domain')] : [],
  ),
  ...(issuer === undefined ? [] : issuerProblems(guard, issuer)),
]

/** The issuer is the base of URLs and is compared as text, so it has neither query nor credentials. */
function issuerProblems(guard: AddressGuard, issuer: string): FieldError[] {
  const message = guard.problemOf(issuer) ?? (issuer.includes('?') ? 'must not have a query' : undefined)
  return message === undefined ? [] : [problem('issuer', message)]
}
