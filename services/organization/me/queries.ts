import type { Sql } from '../../kit/db/client.ts'

export const findOwnUser = (sql: Sql, orgId: string, userId: string) => sql<
  { document: string; is_service_account: boolean }[]
>`
  select d.full_document as document, u.kind = 'SERVICE' as is_service_account
  from organization.directory d
  join organization.users u on u.id = d.id
  where d.org_id = ${orgId} and d.id = ${userId}`

interface GrantRow {
  acting_email: string
  reason: string
  expires_at: string
}

export const findGrant = (sql: Sql, orgId: string, grantId: string) => sql<GrantRow[]>`
  select acting_email, reason, expires_at from identity.impersonation_directory
  where org_id = ${orgId} and grant_id = ${grantId}`
