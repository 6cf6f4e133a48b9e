import type { Caller } from '../../kit/auth/caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { findKeyOrigin } from './queries.ts'
import { joined, type Lineage, MAX_LINEAGE } from './rules.ts'

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
