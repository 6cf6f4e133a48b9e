import type { ServiceAccountKeyRevoked } from '../../../proto/events/organization.ts'
import {
  type CreatedServiceAccountKey,
  type CreateServiceAccountKeyRequest,
  MAX_LIVE_KEYS,
  type ServiceAccountKey,
} from '../../../proto/http/organization/service-accounts.ts'
import { type EventAttributes, emit } from '../../kit/bus/outbox/emit.ts'
import type { Command } from '../../kit/command/command.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireNoHigherPermissions } from '../authority/authority.ts'
import { emitUserChanged } from '../authority/events.ts'
import * as queries from './queries.ts'
import { newClientSecret } from './secret.ts'
import { distinctNetworks, keyOf } from './shapes.ts'

interface CreateKey {
  params: { id: string }
  body: CreateServiceAccountKeyRequest
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
  const key = { id, orgId, userId, description, createdBy: caller.userId, expiresAt }
  const stored = { ...key, secretHash: hash, secretPrefix: shown, networks: distinctNetworks(networks) }
  await queries.insertKey(tx, stored, now)
  audit.add({ keyId: id })
  return { ...keyOf(found(await queries.findKey(tx, { orgId, userId, id }))), clientSecret: secret }
}

/**
 * Revokes a key. The event voids its tokens in every service. Links and impersonation grants of the account end, too,
 * because a stolen key could have made them.
 */
export async function revokeKey({
  tx,
  caller,
  params: { id: userId, keyId },
  now,
}: Command<{ params: { id: string; keyId: string } }>): Promise<ServiceAccountKey> {
  const { orgId } = caller
  const key = { orgId, userId, id: keyId }
  found(await queries.findKey(tx, key))
  await requireNoHigherPermissions(tx, caller, userId)
  if ((await queries.markRevoked(tx, key, now)).length === 0) {
    throw refuse('illegal_transition', { detail: 'The key has already been revoked.' })
  }
  await queries.voidLinksOf(tx, key)
  await emitUserChanged(tx, orgId, userId)
  await emit(tx, {
    type: 'organization.serviceAccountKey.revoked',
    tenantId: orgId,
    subject: keyId,
    data: { keyId, userId, orgId },
  } satisfies ServiceAccountKeyRevoked & EventAttributes)
  return keyOf(found(await queries.findKey(tx, key)))
}
