import type { Permission } from '../../../proto/permissions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { listKeptKeys } from './queries.ts'
import { keyOfWeakerKeeper } from './rules.ts'

interface Grant {
  orgId: string
  roleId: string
  /** The account that was granted the role; undefined: all that hold it. */
  userId?: string
  added: readonly Permission[]
}

/**
 * Throws 409 if a change of roles would give a permission to a user who knows the secret of a key but lacks the
 * permission. Runs after the change, which the refusal rolls back.
 */
export async function requireStrongKeepers(
  tx: Tx,
  { added, ...grant }: Grant,
  field: string,
  now: string,
): Promise<void> {
  if (added.length === 0) return
  const weak = keyOfWeakerKeeper(await listKeptKeys(tx, grant, now), added)
  if (!weak) return
  const message = `would give ${weak.permission} to a user who knows the secret of the key ${weak.id} but lacks the permission. Revoke the key, then create another.`
  throw refuse('conflict', { errors: [{ field, message }] })
}
