import type { FieldError } from '../../../proto/errors.ts'
import { type AddressPolicy, destinationOf } from '../../kit/addresses/destination.ts'

/** The problem of a URL to which nothing may be sent. Names are resolved only at each attempt. */
export function urlProblems({ url }: { url?: string }, policy: AddressPolicy): FieldError[] {
  if (url === undefined) return []
  const destination = destinationOf(url, policy)
  return 'problem' in destination ? [{ field: 'url', message: destination.problem }] : []
}
