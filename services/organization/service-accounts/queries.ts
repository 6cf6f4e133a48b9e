import type {
  DerivedKey,
  LastingAct,
  ServiceAccount,
  ServiceAccountKey,
} from '../../../proto/http/organization/service-accounts.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import type { Lineage } from '../authority/rules.ts'

type AccountRow = OrNull<ServiceAccount>

const accountColumns = (sql: Sql) => sql`
  id, email, given_name as name, description, active, created_at as "createdTime", updated_at as "updatedTime"`

/** The service accounts of an organization without the anonymised ones, newest first. */
export const listAccounts = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<AccountRow[]>`
  select ${accountColumns(sql)}
  from organization.users
  where org_id = ${orgId} and kind = 'SERVICE' and anonymised_at is null and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findAccount = (sql: Sql, orgId: string, id: string) => sql<AccountRow[]>`
  select ${accountColumns(sql)}
  from organization.users
  where org_id = ${orgId} and id = ${id} and kind = 'SERVICE' and anonymised_at is null`

export const countAccounts = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.users
  where org_id = ${orgId} and kind = 'SERVICE' and anonymised_at is null`

interface NewAccount {
  id: string
  orgId: string
  email: string
  name: string
  description: string | undefined
  lineage: Lineage
}

export const insertAccount = (tx: Tx, { id, orgId, email, name, description, lineage }: NewAccount, now: string) => tx`
  insert into organization.users
    (id, org_id, kind, email, given_name, family_name, description, lineage, created_at, updated_at)
  values (${id}, ${orgId}, 'SERVICE', ${email}, ${name}, '', ${description ?? null},
    ${JSON.stringify(lineage)}::text::jsonb, ${now}, ${now})`

export const updateAccount = (
  tx: Tx,
  { orgId, id, name, description }: { orgId: string; id: string; name: string; description: string | null },
  now: string,
) => tx<[AccountRow]>`
  update organization.users set given_name = ${name}, description = ${description}, updated_at = ${now}
  where org_id = ${orgId} and id = ${id} and kind = 'SERVICE'
  returning ${accountColumns(tx)}`

type KeyRow = OrNull<ServiceAccountKey>

const keyColumns = (sql: Sql) => sql`
  k.id as "clientId", k.secret_prefix as "secretPrefix", k.description, k.networks, k.created_by as "createdBy",
  k.created_at as "createdTime", k.expires_at as "expireTime", k.revoked_at as "revokedTime",
  last.last_used_at as "lastUsedTime", last.ip_address as "lastUsedAddress"`

/** The keys of an account, newest first, with their last use. */
export const listKeys = (sql: Sql, orgId: string, userId: string, { after, limit, offset }: PageWindow) => sql<
  KeyRow[]
>`
  select ${keyColumns(sql)}
  from organization.service_account_keys k
  left join identity.key_use_directory last on last.key_id = k.id
  where k.org_id = ${orgId} and k.user_id = ${userId} and k.id < ${after ?? NEWEST_ID}
  order by k.id desc limit ${limit} offset ${offset}`

export const findKey = (sql: Sql, { orgId, userId, id }: { orgId: string; userId: string; id: string }) => sql<
  KeyRow[]
>`
  select ${keyColumns(sql)}
  from organization.service_account_keys k
  left join identity.key_use_directory last on last.key_id = k.id
  where k.org_id = ${orgId} and k.user_id = ${userId} and k.id = ${id}`

interface NewKey {
  id: string
  orgId: string
  userId: string
  description: string | undefined
  secretHash: Uint8Array
  secretPrefix: string
  networks: readonly string[]
  createdBy: string
  expiresAt: string | undefined
  lineage: Lineage
  keeperIds: readonly string[]
  originAt: string
}

export const insertKey = (tx: Tx, key: NewKey, now: string) => tx`
  insert into organization.service_account_keys
    (id, org_id, user_id, description, secret_hash, secret_prefix, networks, created_by, created_at, expires_at,
      lineage, keeper_ids, origin_at)
  values (${key.id}, ${key.orgId}, ${key.userId}, ${key.description ?? null}, ${Buffer.from(key.secretHash)},
    ${key.secretPrefix}, ${[...key.networks]}, ${key.createdBy}, ${now}, ${key.expiresAt ?? null},
    ${JSON.stringify(key.lineage)}::text::jsonb, ${[...key.keeperIds]}, ${key.originAt})`

/** The live keys that an account led to since a time, oldest first. An organization has at most 200 live keys. */
export const listDerivedKeys = (
  tx: Tx,
  { orgId, userId }: { orgId: string; userId: string },
  since: string,
  now: string,
) => tx<DerivedKey[]>`
  select k.id as "clientId", k.user_id as "serviceAccountId", k.created_by as "createdBy", k.created_at as "createdTime"
  from organization.users u
  join organization.service_account_keys k on k.org_id = u.org_id and k.user_id = u.id
  where u.org_id = ${orgId} and u.kind = 'SERVICE' and u.anonymised_at is null
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
    and (k.lineage ->> ${userId})::timestamptz >= ${since}
  order by k.id`

/** Users whose acts are attributed to one account. */
const MAX_ACTORS = 100

/** An account, and the newest users that it led to since a time: accounts, people, and accounts with a key of these. */
export const listLedTo = (tx: Tx, { orgId, userId }: { orgId: string; userId: string }, since: string) => tx<
  { id: string }[]
>`
  (select ${userId} as id)
  union (
    select id from organization.users
    where org_id = ${orgId} and (lineage ->> ${userId})::timestamptz >= ${since}
    order by id desc limit ${MAX_ACTORS})
  union (
    select k.user_id from organization.users u
    join organization.service_account_keys k on k.org_id = u.org_id and k.user_id = u.id
    where u.org_id = ${orgId} and u.kind = 'SERVICE' and (k.lineage ->> ${userId})::timestamptz >= ${since}
    order by k.id desc limit ${MAX_ACTORS})`

/**
 * The newest acts of these kinds since a time. Changes of a user count if they changed the e-mail address or, by SCIM,
 * activated the user. Roles that were made or changed by SCIM count if a user got them.
 */
export const listActs = (
  tx: Tx,
  { orgId, actorIds, procedures }: { orgId: string; actorIds: readonly string[]; procedures: readonly string[] },
  since: string,
  limit: number,
) => tx<OrNull<LastingAct>[]>`
  select act.procedure,
    coalesce(act.request ->> 'userId', act.request ->> 'webhookId', act.request ->> 'mailAddressId',
      act.request ->> 'identityProviderId', act.request ->> 'roleId', act.request ->> 'orgId',
      act.request ->> 'id') as "subjectId",
    act.actor_id as "actorId", act.timestamp as time
  from unnest(${[...actorIds]}::text[]) actor (id)
  cross join unnest(${[...procedures]}::text[]) kind (procedure)
  cross join lateral (
    select id, procedure, actor_id, timestamp, request from organization.audit_log
    where org_id = ${orgId} and actor_id = actor.id and procedure = kind.procedure and success and not impersonated
      and timestamp >= ${since}
      and case
        when procedure in ('user.patch', 'user.provision') then request -> 'fields' ?| array['email', 'activate']
        when procedure in ('role.create', 'role.provision') then request -> 'grantedUserIds' <> '[]'
        else true
      end
    order by timestamp desc, id desc limit ${limit}) act
  order by act.timestamp desc, act.id desc limit ${limit}`

/** The live keys of an account, oldest first. */
export const listLiveKeys = (tx: Tx, orgId: string, userId: string, now: string) => tx<
  { clientId: string; serviceAccountId: string }[]
>`
  select id as "clientId", user_id as "serviceAccountId" from organization.service_account_keys
  where org_id = ${orgId} and user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${now})
  order by id`

/** Returns no row for a key that has been revoked already. */
export const markRevoked = (
  tx: Tx,
  { orgId, userId, id }: { orgId: string; userId: string; id: string },
  now: string,
) => tx<{ id: string }[]>`
  update organization.service_account_keys set revoked_at = ${now}
  where org_id = ${orgId} and user_id = ${userId} and id = ${id} and revoked_at is null
  returning id`

/** Voids the links and the impersonation grants that the account made, as the reset of a password does. */
export const voidLinksOf = (tx: Tx, { orgId, userId }: { orgId: string; userId: string }) => tx`
  update organization.users set password_version = password_version + 1
  where org_id = ${orgId} and id = ${userId}`
