import type * as api from '../../../proto/http/organization/service-accounts.ts'
import { type CreatedServiceAccountKey, MAX_LIVE_KEYS } from '../../../proto/http/organization/service-accounts.ts'
import { utcOf } from '../../../proto/http/times.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalidField, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireNoHigherPermissions } from '../authority/authority.ts'
import { originOf, requireShortLineage } from '../authority/lineage.ts'
import { findLineage } from '../authority/queries.ts'
import { joined } from '../authority/rules.ts'
import { limitsWith } from './key-limits.ts'
import * as queries from './queries.ts'
import { keepersOf } from './rules.ts'
import { newClientSecret } from './secret.ts'
import { distinctNetworks } from './shapes.ts'

/**
 * Creates a key of a service account. The caller must hold its permissions, because the secret gives them. A key that
 * is created with another one ends no later, and is used from no other network.
 */
export async function createKey({
  tx,
  caller,
  params: { id: userId },
  body: { description, expireTime, networks = [] },
  now,
  audit,
}: CommandOf<typeof api.createServiceAccountKey>): Promise<CreatedServiceAccountKey> {
  const { orgId } = caller
  found(await queries.findAccount(tx, orgId, userId))
  await requireNoHigherPermissions(tx, caller, userId)
  const { usedKey, ...origin } = await originOf(tx, caller, now)
  const asked = {
    expiresAt: expireTime === undefined ? undefined : utcOf(expireTime),
    networks: distinctNetworks(networks),
  }
  const { problems, ...limits } = limitsWith(asked, usedKey)
  requireValid(problems)
  if (asked.expiresAt !== undefined && asked.expiresAt <= now) {
    throw invalidField('expireTime', 'must lie in the future')
  }
  if ((await queries.listLiveKeys(tx, orgId, userId, now)).length >= MAX_LIVE_KEYS) {
    throw refuse('limit_reached', { detail: `The account has ${MAX_LIVE_KEYS} keys. Revoke one of them first.` })
  }
  const id = newIdAt('sak', now)
  const { secret, hash, shown } = newClientSecret()
  const account = found(await findLineage(tx, orgId, userId))
  const key = {
    ...{ id, orgId, userId, description, createdBy: caller.userId, ...limits },
    lineage: requireShortLineage(joined(origin.lineage, account.lineage)),
    keeperIds: keepersOf({ caller: caller.userId, account: userId }, usedKey?.keeper_ids),
    originAt: usedKey?.origin_at ?? now,
  }
  const stored = { ...key, secretHash: hash, secretPrefix: shown }
  await queries.insertKey(tx, stored, now)
  audit.add({ keyId: id })
  return { ...withoutNulls(found(await queries.findKey(tx, { orgId, userId, id }))), clientSecret: secret }
}
