import type { Permission } from '../../../proto/permissions.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { findKeyOrigin, listKeptKeys } from './queries.ts'
import { joined, keyOfWeakerKeeper, type Lineage, MAX_LINEAGE } from './rules.ts'

interface Origin {
  lineage: Lineage
  /** The key that the caller uses; undefined for a person. */
  usedKey: { keeper_id: string; origin_at: string } | undefined
}

/** What led to a record that the caller creates: the caller's account and key, and those that led to them. */
export async function originOf(
  tx: Tx,
  { orgId, userId, sessionId, clientTokenId }: Caller,
  now: string,
): Promise<Origin> {
  if (clientTokenId === undefined) return { lineage: {}, usedKey: undefined }
  const { lineage, ...usedKey } = found(await findKeyOrigin(tx, { orgId, userId, id: sessionId }))
  return { lineage: joined(lineage, { [userId]: now }), usedKey }
}

export function requireShortLineage(lineage: Lineage): Lineage {
  if (Object.keys(lineage).length > MAX_LINEAGE) {
    throw refuse('limit_reached', {
      detail: `More than ${MAX_LINEAGE} service accounts would have led to this one. A person can create it.`,
    })
  }
  return lineage
}

interface Grant {
  orgId: string
  roleId: string
  /** The account that was granted the role; undefined: all that hold it. */
  userId?: string
  added: readonly Permission[]
}

/**
 * The creator of a key keeps its secret, and would gain what the account gains. Runs after a change of roles; the
 * refusal rolls it back.
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
  const message = `would give ${weak.permission} to the creator of the key ${weak.id}, who keeps its secret and does not hold the permission. Revoke the key, and create another afterwards.`
  throw refuse('conflict', { errors: [{ field, message }] })
}
