import type { Sql } from '../../kit/db/client.ts'

/** The condition of `isParty` in SQL, on rows of `sourcing.cases`. */
export const isParty = (sql: Sql, orgId: string) => sql`${orgId} = any(party_org_ids)`
