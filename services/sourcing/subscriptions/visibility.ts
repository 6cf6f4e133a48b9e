import type { Sql } from '../../kit/db/client.ts'

/* Conditions on rows of `sourcing.subscriptions`. The texts match the predicates of the partial indexes. */

export const isConsumer = (sql: Sql, orgId: string) => sql`consumer_org_id = ${orgId}`

export const isIpOwner = (sql: Sql, orgId: string) => sql`ip_owner_org_id = ${orgId}`

export const isParty = (sql: Sql, orgId: string) => sql`(${isConsumer(sql, orgId)} or ${isIpOwner(sql, orgId)})`

export const isLive = (sql: Sql) => sql`state in ('REQUESTED', 'ACTIVE')`
