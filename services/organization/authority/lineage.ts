import type { Caller } from '../../kit/auth/caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { findKeyOrigin, findLineage, type UsedKey } from './queries.ts'
import { joined, type Lineage, MAX_LINEAGE } from './rules.ts'

interface Origin {
  lineage: Lineage
  /** The key that the caller uses; undefined for a person. */
  usedKey: UsedKey | undefined
}

/**
 * What led to a record that the caller creates: the caller's account and key, and those that led to them. For a person,
 * those that led to the invitation.
 */
export async function originOf(
  tx: Tx,
  { orgId, userId, sessionId, clientTokenId }: Caller,
  now: string,
): Promise<Origin> {
  if (clientTokenId === undefined) {
    const [person] = await findLineage(tx, orgId, userId)
    return { lineage: person?.lineage ?? {}, usedKey: undefined }
  }
  const { lineage, ...usedKey } = found(await findKeyOrigin(tx, { orgId, userId, id: sessionId }))
  return { lineage: joined(lineage, { [userId]: now }), usedKey }
}

export function requireShortLineage(lineage: Lineage): Lineage {
  if (Object.keys(lineage).length > MAX_LINEAGE) {
    throw refuse('limit_reached', {
      detail: `More than ${MAX_LINEAGE} service accounts lie between this one and a person. Have a person create it.`,
    })
  }
  return lineage
}
