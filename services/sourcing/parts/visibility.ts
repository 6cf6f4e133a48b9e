import type { Sql } from '../../kit/db/client.ts'

/*
 * The conditions of `mayRead` in SQL, on rows of `sourcing.parts`. The texts match the predicates of the partial indexes.
 */

export const isOwn = (sql: Sql, orgId: string) => sql`ip_owner_org_id = ${orgId}`

export const isPublic = (sql: Sql) => sql`state = 'PUBLISHED' and not internal`

export const isReadable = (sql: Sql, orgId: string) => sql`(${isOwn(sql, orgId)} or (${isPublic(sql)}))`
