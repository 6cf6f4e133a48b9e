import type { ServiceAccountKeyRevoked } from '../../../proto/events/organization.ts'
import {
  type CreatedServiceAccountKey,
  type KeyRevocation,
  MAX_LIVE_KEYS,
  type RevokedServiceAccountKey,
  type ServiceAccountKeyInput,
} from '../../../proto/http/organization/service-accounts.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { type EventAttributes, emit } from '../../kit/bus/outbox/emit.ts'
import type { Command } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { holdsPermissionsOf, requireNoHigherPermissions } from '../authority/authority.ts'
import { emitUserChanged } from '../authority/events.ts'
import { originOf, requireShortLineage } from './lineage.ts'
import * as queries from './queries.ts'
import { joined } from './rules.ts'
import { newClientSecret } from './secret.ts'
import { derivedKeyOf, distinctNetworks, keyOf } from './shapes.ts'

interface CreateKey {
  params: { id: string }
  body: ServiceAccountKeyInput
}

/** Creates a key of a service account. The caller must hold its permissions, because the secret gives them. */
export async function createKey({
  tx,
  caller,
  params: { id: userId },
  body: { description, expireTime, networks = [] },
  now,
  audit,
}: Command<CreateKey>): Promise<CreatedServiceAccountKey> {
  const { orgId } = caller
  found(await queries.findAccount(tx, orgId, userId))
  await requireNoHigherPermissions(tx, caller, userId)
  const expiresAt = expireTime === undefined ? undefined : new Date(expireTime).toISOString()
  if (expiresAt !== undefined && expiresAt <= now) throw invalidField('expireTime', 'must lie in the future')
  const [live] = await queries.countLiveKeys(tx, orgId, userId, now)
  if (live.count >= MAX_LIVE_KEYS) {
    throw refuse('limit_reached', { detail: `The account has ${MAX_LIVE_KEYS} keys. Revoke one of them first.` })
  }
  const id = newIdAt('sak', now)
  const { secret, hash, shown } = newClientSecret()
  const { usedKey, ...origin } = await originOf(tx, caller, now)
  const account = found(await queries.findLineage(tx, orgId, userId))
  const key = {
    ...{ id, orgId, userId, description, createdBy: caller.userId, expiresAt },
    lineage: requireShortLineage(joined(origin.lineage, account.lineage)),
    keeperId: caller.userId === userId ? (usedKey?.keeper_id ?? userId) : caller.userId,
    originAt: usedKey?.origin_at ?? now,
  }
  const stored = { ...key, secretHash: hash, secretPrefix: shown, networks: distinctNetworks(networks) }
  await queries.insertKey(tx, stored, now)
  audit.add({ keyId: id })
  return { ...keyOf(found(await queries.findKey(tx, { orgId, userId, id }))), clientSecret: secret }
}

interface RevokeKey {
  params: { id: string; keyId: string }
  body: KeyRevocation | undefined
}

/**
 * Revokes a key. The event voids its tokens in every service. Links and impersonation grants of the account end, too,
 * because a stolen key could have made them, and so do the keys that it led to, unless the account rotates its own key.
 */
export async function revokeKey({
  tx,
  caller,
  params: { id: userId, keyId },
  body,
  now,
  audit,
}: Command<RevokeKey>): Promise<RevokedServiceAccountKey> {
  const { orgId } = caller
  const key = { orgId, userId, id: keyId }
  const { origin_at: originAt } = found(await queries.findKeyOrigin(tx, key))
  await requireNoHigherPermissions(tx, caller, userId)
  if ((await queries.markRevoked(tx, key, now)).length === 0) {
    throw refuse('illegal_transition', { detail: 'The key has already been revoked.' })
  }
  await voidKey(tx, key)
  const derived = await queries.listDerivedKeys(tx, key, originAt, now)
  const endsDerived = caller.userId !== userId && body?.cascade !== false
  const ended = endsDerived ? await endKeys(tx, caller, derived, now) : new Set<string>()
  audit.add({ endedKeyIds: [...ended] })
  return {
    ...keyOf(found(await queries.findKey(tx, key))),
    derivedKeys: derived.map((row) => derivedKeyOf(ended.has(row.id) ? { ...row, revoked_at: now } : row)),
  }
}

/** Before every time at which an account could have created a key. */
const EVER = '1970-01-01T00:00:00.000Z'

/** Ends the keys that an account led to, except its own, which end or rest with it. Returns their ids. */
export async function endDerivedKeys(tx: Tx, caller: Caller, userId: string, now: string): Promise<string[]> {
  const derived = await queries.listDerivedKeys(tx, { orgId: caller.orgId, userId }, EVER, now)
  const others = derived.filter((key) => key.user_id !== userId)
  return [...(await endKeys(tx, caller, others, now))]
}

/** Revokes keys, except those of accounts with a permission that the caller lacks. Returns the ids of those that ended. */
async function endKeys(
  tx: Tx,
  caller: Caller,
  keys: readonly queries.DerivedKeyRow[],
  now: string,
): Promise<Set<string>> {
  const ended = new Set<string>()
  for (const { id, user_id: userId } of keys) {
    const key = { orgId: caller.orgId, userId, id }
    if (!(await holdsPermissionsOf(tx, caller, userId))) continue
    if ((await queries.markRevoked(tx, key, now)).length === 0) continue
    await voidKey(tx, key)
    ended.add(id)
  }
  return ended
}

/** Voids the tokens of a revoked key, and the links and impersonation grants of its account. */
async function voidKey(tx: Tx, key: { orgId: string; userId: string; id: string }): Promise<void> {
  const { orgId, userId, id: keyId } = key
  await queries.voidLinksOf(tx, key)
  await emitUserChanged(tx, orgId, userId)
  await emit(tx, {
    type: 'organization.serviceAccountKey.revoked',
    tenantId: orgId,
    subject: keyId,
    data: { keyId, userId, orgId },
  } satisfies ServiceAccountKeyRevoked & EventAttributes)
}
