import type { Sql } from '../../kit/db/client.ts'

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`select organization.ensure_audit_partitions(${MONTHS_AHEAD})`

export const dropPartitions = (sql: Sql, keepMonths: number) => sql`
  select organization.drop_audit_partitions(${keepMonths})`
