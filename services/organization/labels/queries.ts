import type { Sql, Tx } from '../../kit/db/client.ts'

/** Locks business units, custom fields and options: waits for transactions that use them, and blocks new ones. */
export const lockLabels = (tx: Tx, orgId: string) => tx`select organization.lock_labels_exclusive(${orgId})`

/** One row if a part belongs to the unit. A statement after `lockLabels` sees the parts committed before the lock. */
export const findPartOfUnit = (sql: Sql, orgId: string, unitId: string) => sql<{ used: boolean }[]>`
  select true as used from sourcing.business_unit_usage
  where org_id = ${orgId} and business_unit_ids @> array[${unitId}] limit 1`

/** One row if a part uses an option of the field, or the given option. */
export const findPartOfField = (sql: Sql, orgId: string, choice: { fieldId: string; optionId?: string }) => sql<
  { used: boolean }[]
>`
  select true as used from sourcing.custom_field_usage
  where org_id = ${orgId} and custom_fields @> ${JSON.stringify([choice])}::text::jsonb limit 1`
