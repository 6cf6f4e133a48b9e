import type * as api from '../../../proto/http/organization/service-accounts.ts'
import {
  type DerivedKey,
  LASTING_PROCEDURES,
  MAX_LASTING_ACTS,
  type RevokedServiceAccountKey,
} from '../../../proto/http/organization/service-accounts.ts'
import { KEY } from '../../../proto/states/service-account-keys.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import { holdsPermissionsOf, requireNoHigherPermissions } from '../authority/authority.ts'
import { emitUserChanged } from '../authority/events.ts'
import { originOf } from '../authority/lineage.ts'
import { findKeyOrigin } from '../authority/queries.ts'
import { forgetUnconfirmed } from '../mail-addresses/commands.ts'
import * as queries from './queries.ts'
import { GUARDS, hasLedTo } from './rules.ts'

/**
 * Revokes a key. The event voids its tokens in every service. Links and impersonation grants of the account end, too,
 * because a stolen key could have made them, and so do the keys that it led to, unless the account rotates its own key.
 * These end also if the key has been revoked already, because the account itself may have done that with the key.
 */
export async function revokeKey({
  tx,
  caller,
  params: { id: userId, keyId },
  body,
  now,
  audit,
}: CommandOf<typeof api.revokeServiceAccountKey>): Promise<RevokedServiceAccountKey> {
  const { orgId } = caller
  const key = { orgId, userId, id: keyId }
  const { origin_at: originAt } = found(await findKeyOrigin(tx, key))
  await requireNoHigherPermissions(tx, caller, userId)
  const isLive = (await queries.markRevoked(tx, key, now)).length > 0
  if (isLive) await voidKey(tx, key)
  const cascades =
    caller.userId !== userId && (body?.cascade !== false || (await isDerived(tx, caller, key, originAt, now)))
  const derived = await queries.listDerivedKeys(tx, key, originAt, now)
  const actorIds = (await queries.listLedTo(tx, key, originAt)).map(({ id }) => id)
  const acts = await queries.listActs(
    tx,
    { orgId, actorIds, procedures: LASTING_PROCEDURES },
    originAt,
    MAX_LASTING_ACTS,
  )
  await requireGuards(KEY, 'revoke', isLive ? 'LIVE' : 'REVOKED', {
    guards: GUARDS,
    facts: () => ({ isLive, ends: cascades && derived.length + acts.length > 0 }),
  })
  const ended = cascades ? await endKeys(tx, caller, derived, now) : new Set<string>()
  const removed = cascades ? await forgetUnconfirmed(tx, orgId, actorIds, originAt, now) : []
  audit.add({ endedKeyIds: [...ended] })
  return {
    ...withoutNulls(found(await queries.findKey(tx, key))),
    derivedKeys: derived.map((each) => (ended.has(each.clientId) ? { ...each, revokedTime: now } : each)),
    lastingActs: acts.filter(({ subjectId }) => !removed.includes(subjectId ?? '')).map(withoutNulls),
  }
}

/** Whether the account of the key led to the caller, who then cannot keep what else it led to. */
async function isDerived(tx: Tx, caller: Caller, { userId }: { userId: string }, since: string, now: string) {
  const { lineage } = await originOf(tx, caller, now)
  return hasLedTo(lineage, userId, since)
}

/** Before every time at which an account could have created a key. */
const EVER = '1970-01-01T00:00:00.000Z'

/** Ends the keys of an account that is deactivated or anonymised, and those that it led to. Returns their ids. */
export async function endKeysOf(tx: Tx, caller: Caller, userId: string, now: string): Promise<string[]> {
  const derived = await queries.listDerivedKeys(tx, { orgId: caller.orgId, userId }, EVER, now)
  await forgetUnconfirmed(tx, caller.orgId, [userId], EVER, now)
  const own = await queries.listLiveKeys(tx, caller.orgId, userId, now)
  const others = derived.filter(({ serviceAccountId }) => serviceAccountId !== userId)
  return [...(await endKeys(tx, caller, [...own, ...others], now))].sort()
}

/**
 * Revokes keys, except those of accounts with a permission that the caller lacks. Returns the ids of those that ended.
 */
async function endKeys(
  tx: Tx,
  caller: Caller,
  keys: readonly Pick<DerivedKey, 'clientId' | 'serviceAccountId'>[],
  now: string,
): Promise<Set<string>> {
  const ended = new Set<string>()
  for (const { clientId: id, serviceAccountId: userId } of keys) {
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
  })
}
