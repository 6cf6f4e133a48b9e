import type { JWK } from 'jose'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'

interface SigningKeyRow {
  kid: string
  public_jwk: JWK
  private_key: string
  signs_from: string
}

/** The current signing key: the newest one that is past its activation time. */
export const findSigningKey = (sql: Sql, now: string) => sql<SigningKeyRow[]>`
  select kid, public_jwk, private_key, signs_from
  from identity.signing_keys
  where signs_from <= ${now}
  order by signs_from desc, kid desc limit 1`

export const insertSigningKey = (sql: Sql, key: SigningKeyRow, now: string) => sql`
  insert into identity.signing_keys (kid, public_jwk, private_key, created_at, signs_from)
  values (${key.kid}, ${JSON.stringify(key.public_jwk)}::text::jsonb, ${key.private_key}, ${now}, ${key.signs_from})`

interface Retirement {
  kid: string
  signsFrom: string
  since: string | undefined
  retiresAt: string
}

/** Retires the keys before a successor, also those that sign from `since` on, which had the time of another one. */
export const retireEarlierKeys = (sql: Sql, { kid, signsFrom, since, retiresAt }: Retirement) => sql`
  update identity.signing_keys set retires_at = ${retiresAt}
  where kid <> ${kid} and signs_from <= ${signsFrom} and (retires_at is null or signs_from >= ${since ?? null})`

export const deleteRetiredKeys = (sql: Sql, now: string) => sql`
  delete from identity.signing_keys where retires_at < ${now}`

export const deleteSigningKey = (sql: Sql, kid: string) => sql<{ signs_from: string }[]>`
  delete from identity.signing_keys where kid = ${kid} returning signs_from`

/** Makes the next published key sign now. */
export const activatePendingKey = (sql: Sql, now: string) => sql<{ kid: string }[]>`
  update identity.signing_keys set signs_from = ${now}
  where kid = (select kid from identity.signing_keys where signs_from > ${now} order by signs_from, kid limit 1)
  returning kid`

export const listPrivateKeys = (sql: Sql, after: string, limit: number) => sql<{ id: string; private_key: string }[]>`
  select kid as id, private_key from identity.signing_keys
  where kid > ${after} order by kid limit ${limit} for update`

export const updatePrivateKey = (sql: Sql, kid: string, privateKey: string) => sql`
  update identity.signing_keys set private_key = ${privateKey} where kid = ${kid}`

export const listSecrets = (sql: Sql, after: string, limit: number) => sql<{ id: string; value: string }[]>`
  select name as id, value from identity.server_secrets where name > ${after} order by name limit ${limit} for update`

export const findSecret = (sql: Sql, name: string) => sql<{ value: string }[]>`
  select value from identity.server_secrets where name = ${name}`

export const insertSecret = (sql: Sql, name: string, value: string) => sql`
  insert into identity.server_secrets (name, value) values (${name}, ${value})`

export const updateSecret = (sql: Sql, name: string, value: string) => sql`
  update identity.server_secrets set value = ${value} where name = ${name}`

/** Serializes the creation of keys, so that two replicas never create two first keys. */
export const lockKeys = (tx: Tx) => lockByName(tx, 'signing keys')
