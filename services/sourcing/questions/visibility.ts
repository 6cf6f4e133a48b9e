import type { Sql } from '../../kit/db/client.ts'

/*
 * The readers of the questions about an RFQ. The consumer, and an IP owner that is not invited itself, read all of
 * them. An invited manufacturer reads its own ones and, until it declines, what was answered to all. The conditions are
 * on rows of `sourcing.rfq_questions`.
 */

export const isAsker = (sql: Sql, orgId: string) => sql`org_id = ${orgId}`

/**
 * An answer to all that is no answer to a question of the organization. The text matches the predicate of the index.
 */
export const isPublished = (sql: Sql, orgId: string) =>
  sql`published_id is not null and org_id is distinct from ${orgId}`
