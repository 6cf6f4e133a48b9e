import type { Sql } from '../../kit/db/client.ts'

export const findOwnUser = (sql: Sql, orgId: string, userId: string) => sql<
  { document: string; is_service_account: boolean }[]
>`
  select d.full_document as document, u.kind = 'SERVICE' as is_service_account
  from organization.directory d
  join organization.users u on u.id = d.id
  where d.org_id = ${orgId} and d.id = ${userId}`

export const findGrant = (sql: Sql, orgId: string, grantId: string) => sql<
  { grantId: string; actingEmail: string; reason: string; expireTime: string }[]
>`
  select grant_id as "grantId", acting_email as "actingEmail", reason, expires_at as "expireTime"
  from identity.impersonation_directory
  where org_id = ${orgId} and grant_id = ${grantId}`
