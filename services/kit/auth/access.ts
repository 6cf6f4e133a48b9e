import { isClosedToImpersonations, type Operation } from '../../../proto/http/operation.ts'
import { oneOf } from '../../../proto/messages.ts'
import type { Permission } from '../../../proto/permissions.ts'
import { refuse } from '../errors/refusal.ts'
import type { Caller } from './caller.ts'

/** Throws 403 for a caller that has none of the permissions. */
export function requirePermission({ permissions }: Pick<Caller, 'permissions'>, anyOf: readonly Permission[]): void {
  if (!anyOf.some((key) => permissions.has(key))) {
    throw refuse('forbidden', { detail: `This needs the permission ${oneOf(anyOf)}.` })
  }
}

/** Throws 403 unless the caller may use the operation. */
export function requireAccess(operation: Operation, { permissions, act, clientTokenId }: Caller): void {
  const { access, scim } = operation
  if (access !== 'public' && access !== 'token') {
    requirePermission({ permissions }, typeof access === 'string' ? [access] : access)
  }
  if (scim && clientTokenId === undefined) {
    throw refuse('forbidden', { detail: 'This needs the token of a service account.' })
  }
  // An impersonated caller must not gain access that outlives the grant or exceeds it.
  if (act && isClosedToImpersonations(operation)) {
    throw refuse('forbidden', { detail: 'Not available during impersonation.' })
  }
}
