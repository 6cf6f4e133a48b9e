import type { Passkey, PasskeyTransport } from '../../../proto/http/identity/passkeys.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { siteOf } from '../../kit/http/client-address.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { MAX_CHALLENGES, type Purpose } from './rules.ts'

/** A person who may have passkeys. */
export interface AccountRow {
  user_id: string
  org_id: string
  email: string
  active: boolean
  session_version: number
  /** Whether the person must sign in by an identity provider. */
  enforced: boolean
  /** Whether the person needs a passkey. */
  second_factor: boolean
}

/** No row for a service account. */
export const findAccount = (sql: Sql, userId: string) => sql<AccountRow[]>`
  select user_id, org_id, email, active, session_version, enforced, second_factor
  from organization.sign_in_directory where user_id = ${userId}`

export interface PasskeyRow {
  id: string
  user_id: string
  credential_id: string
  public_key: Uint8Array
  sign_count: string
  transports: PasskeyTransport[]
}

type ShownPasskey = OrNull<Passkey>

const shown = (sql: Sql) => sql`id, name, created_at as "createdTime", last_used_at as "lastUsedTime"`

/** Which passkeys: those of a host and a person of an organization. */
interface Owner {
  rpId: string
  orgId: string
  userId: string
}

export const listPasskeys = (sql: Sql, { rpId, orgId, userId, after, limit, offset }: PageWindow & Owner) => sql<
  ShownPasskey[]
>`
  select ${shown(sql)} from identity.passkeys
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${rpId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** What browsers need to find the passkeys of a person. */
export const listDescriptors = (sql: Sql, { rpId, orgId, userId }: Owner) => sql<
  Pick<PasskeyRow, 'id' | 'credential_id' | 'transports'>[]
>`
  select id, credential_id, transports from identity.passkeys
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${rpId} order by id`

export const findPasskey = (sql: Sql, { rpId, orgId, userId }: Owner, id: string) => sql<ShownPasskey[]>`
  select ${shown(sql)} from identity.passkeys
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${rpId} and id = ${id}`

export const countPasskeys = (tx: Tx, ids: readonly string[]) => tx<[{ count: number }]>`
  select count(*)::int as count from identity.passkeys where id = any(${[...ids]})`

export const findCredential = (sql: Sql, rpId: string, credentialId: string) => sql<PasskeyRow[]>`
  select id, user_id, credential_id, public_key, sign_count, transports
  from identity.passkeys where rp_id = ${rpId} and credential_id = ${credentialId}`

interface NewPasskey extends Owner {
  id: string
  credentialId: string
  publicKey: Uint8Array
  signCount: number
  transports: PasskeyTransport[]
  name: string
  lastUsedAt: string | null
}

/** No row where the credential is known. */
export const insertPasskey = (tx: Tx, passkey: NewPasskey, now: string) => tx<ShownPasskey[]>`
  insert into identity.passkeys
    (id, org_id, user_id, rp_id, credential_id, public_key, sign_count, transports, name, created_at, last_used_at)
  values (${passkey.id}, ${passkey.orgId}, ${passkey.userId}, ${passkey.rpId}, ${passkey.credentialId},
    ${Buffer.from(passkey.publicKey)}, ${passkey.signCount}, ${passkey.transports}, ${passkey.name}, ${now},
    ${passkey.lastUsedAt})
  on conflict (rp_id, credential_id) do nothing
  returning ${shown(tx)}`

export const renamePasskey = (tx: Tx, { rpId, orgId, userId }: Owner, id: string, name: string) => tx<ShownPasskey[]>`
  update identity.passkeys set name = ${name}
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${rpId} and id = ${id}
  returning ${shown(tx)}`

export const deletePasskey = (tx: Tx, { rpId, orgId, userId }: Owner, id: string) => tx<{ id: string }[]>`
  delete from identity.passkeys
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${rpId} and id = ${id}
  returning id`

/** Records a use. No row where the passkey was removed, or its counter has reached this one by another use. */
export const recordUse = (sql: Sql, id: string, signCount: number, now: string) => sql<{ id: string }[]>`
  update identity.passkeys set sign_count = ${signCount}, last_used_at = ${now}
  where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount}::bigint = 0))
  returning id`

export interface NewChallenge {
  hash: Uint8Array
  purpose: Purpose
  /** The cookie of a browser that signs in. */
  browserHash?: Uint8Array
  /** The session of a person who is signed in. */
  sessionId?: string
  user?: { userId: string; sessionVersion: number }
  network: string
  expiresAt: string
}

/** No row where too many challenges are open. */
export const insertChallenge = (sql: Sql, { user, browserHash, ...challenge }: NewChallenge, now: string) => sql<
  { expires_at: string }[]
>`
  insert into identity.passkey_challenges
    (challenge_hash, purpose, browser_hash, session_id, user_id, session_version, network, created_at, expires_at)
  select ${Buffer.from(challenge.hash)}, ${challenge.purpose}, ${browserHash ? Buffer.from(browserHash) : null},
    ${challenge.sessionId ?? null}, ${user?.userId ?? null}, ${user?.sessionVersion ?? null}::integer,
    ${challenge.network}, ${now}, ${challenge.expiresAt}
  where (select count(*) from (
      select from identity.passkey_challenges
      where expires_at > ${now} and (user_id is null) = ${user === undefined}
      limit ${MAX_CHALLENGES.ofKind}) c) < ${MAX_CHALLENGES.ofKind}
    and (select count(*) from identity.passkey_challenges c
      where c.network = ${challenge.network} and c.expires_at > ${now}) < ${MAX_CHALLENGES.ofNetwork}
    and (select count(*) from identity.passkey_challenges c
      where c.network like ${siteOf(challenge.network)} and c.expires_at > ${now}
        and (c.user_id is null) = ${user === undefined}) < ${MAX_CHALLENGES.ofSite}
  returning expires_at`

/** A session has one challenge of a purpose: a new one replaces it. */
export const dropChallengesOfSession = (sql: Sql, sessionId: string, purpose: Purpose) => sql`
  delete from identity.passkey_challenges where session_id = ${sessionId} and purpose = ${purpose}`

export interface ChallengeRow {
  purpose: Purpose
  browser_hash: Uint8Array | null
  session_id: string | null
  user_id: string | null
  session_version: number | null
  /** The stored password of the person: the one that preceded the challenge, since a change deletes the challenge. */
  password_hash: string | null
  /** The passkeys of the person when the challenge was taken. The removal of one deletes the challenge. */
  passkey_ids: string[]
}

/** Takes a challenge that has not expired. It is used once, whatever follows. */
export const takeChallenge = (sql: Sql, hash: Uint8Array, now: string) => sql<ChallengeRow[]>`
  with taken as (
    delete from identity.passkey_challenges where challenge_hash = ${Buffer.from(hash)}
    returning purpose, browser_hash, session_id, user_id, session_version, expires_at)
  select t.purpose, t.browser_hash, t.session_id, t.user_id, t.session_version, c.password_hash,
    array(select id from identity.passkeys p where p.user_id = t.user_id) as passkey_ids
  from taken t
  left join identity.credentials c on c.user_id = t.user_id
  where t.expires_at > ${now}`
