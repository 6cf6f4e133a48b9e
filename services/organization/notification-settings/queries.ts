import type { Sql, Tx } from '../../kit/db/client.ts'

export const findSettings = (sql: Sql, orgId: string) => sql<{ administrators: boolean }[]>`
  select notify_administrators as administrators from organization.organizations where id = ${orgId}`

export const updateSettings = (tx: Tx, orgId: string, administrators: boolean) => tx`
  update organization.organizations set notify_administrators = ${administrators} where id = ${orgId}`

interface OwnSettings {
  mail: boolean
  proved: boolean
  reachable: boolean
}

export const findOwnSettings = (sql: Sql, orgId: string, userId: string) => sql<OwnSettings[]>`
  select coalesce(n.enabled, true) as mail, coalesce(n.proved_email_key = u.email_key, false) as proved,
    coalesce(n.proved_email_key = u.email_key, false) or exists (
      select from organization.mail_addresses a
      where a.org_id = ${orgId} and a.email_key = u.email_key and a.confirmed_at is not null) as reachable
  from organization.users u left join organization.user_notifications n on n.user_id = u.id
  where u.org_id = ${orgId} and u.id = ${userId}`

export const upsertOwnSettings = (tx: Tx, userId: string, mail: boolean) => tx`
  insert into organization.user_notifications (user_id, enabled) values (${userId}, ${mail})
  on conflict (user_id) do update set enabled = excluded.enabled`

export const upsertConfirmation = (tx: Tx, userId: string, hash: Uint8Array, until: string) => tx`
  insert into organization.user_notifications (user_id, confirmation_hash, confirmable_until)
  values (${userId}, ${Buffer.from(hash)}, ${until})
  on conflict (user_id) do update set
    confirmation_hash = excluded.confirmation_hash, confirmable_until = excluded.confirmable_until`

/** The user of a confirmation link, whose present address is proved. Of concurrent callers one gets the row. */
export const proveByToken = (tx: Tx, hash: Uint8Array, now: string) => tx<{ user_id: string; org_id: string }[]>`
  update organization.user_notifications n set
    proved_email_key = u.email_key, confirmation_hash = null, confirmable_until = null
  from organization.users u
  where n.confirmation_hash = ${Buffer.from(hash)} and n.confirmable_until > ${now} and u.id = n.user_id and u.active
  returning n.user_id, u.org_id`

/** A link that was mailed to another address proves nothing. */
export const voidConfirmation = (tx: Tx, userId: string) => tx`
  update organization.user_notifications set confirmation_hash = null, confirmable_until = null
  where user_id = ${userId}`

/** Erases the address that a user has proved. */
export const eraseProof = (tx: Tx, userId: string) => tx`
  update organization.user_notifications set
    proved_email_key = null, confirmation_hash = null, confirmable_until = null
  where user_id = ${userId}`

/** The user of the link in a mail. A repetition finds no row. */
export const disableByToken = (tx: Tx, unsubscribeToken: string) => tx<{ user_id: string; org_id: string }[]>`
  update organization.user_notifications n set enabled = false
  from organization.users u
  where n.unsubscribe_token = ${unsubscribeToken} and n.enabled and u.id = n.user_id
  returning n.user_id, u.org_id`
