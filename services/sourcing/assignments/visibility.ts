import type { Sql } from '../../kit/db/client.ts'

/* Conditions on rows of `sourcing.assignments`. */

/** The order names the organization. */
export const isParty = (sql: Sql, orgId: string) => sql`${orgId} = any(party_org_ids)`

export const isManufacturer = (sql: Sql, orgId: string) => sql`manufacturer_org_id = ${orgId}`
