import type { Sql, Tx } from '../../kit/db/client.ts'

export const findSettings = (sql: Sql, orgId: string) => sql<{ administrators: boolean }[]>`
  select notify_administrators as administrators from organization.organizations where id = ${orgId}`

export const updateSettings = (tx: Tx, orgId: string, administrators: boolean) => tx`
  update organization.organizations set notify_administrators = ${administrators} where id = ${orgId}`

/** A person without a row is notified. */
export const findOwnSettings = (sql: Sql, orgId: string, userId: string) => sql<{ mail: boolean }[]>`
  select coalesce(n.enabled, true) as mail
  from organization.users u left join organization.user_notifications n on n.user_id = u.id
  where u.org_id = ${orgId} and u.id = ${userId}`

export const upsertOwnSettings = (tx: Tx, userId: string, mail: boolean, unsubscribeToken: string) => tx`
  insert into organization.user_notifications (user_id, enabled, unsubscribe_token)
  values (${userId}, ${mail}, ${unsubscribeToken})
  on conflict (user_id) do update set enabled = excluded.enabled`

/** The user of the link in a mail. A repetition finds no row. */
export const disableByToken = (tx: Tx, unsubscribeToken: string) => tx<{ user_id: string; org_id: string }[]>`
  update organization.user_notifications n set enabled = false
  from organization.users u
  where n.unsubscribe_token = ${unsubscribeToken} and n.enabled and u.id = n.user_id
  returning n.user_id, u.org_id`
