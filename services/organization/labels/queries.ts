import type { Sql, Tx } from '../../kit/db/client.ts'

/** Waits until nobody is filing parts under labels of the organization, and keeps everybody from it until it commits. */
export const lockLabels = (tx: Tx, orgId: string) => tx`select organization.lock_labels_exclusive(${orgId})`

/** One row where a part of the organization is filed under the unit. Asked after `lockLabels`, in this statement. */
export const findPartOfUnit = (sql: Sql, orgId: string, unitId: string) => sql<{ used: boolean }[]>`
  select true as used from sourcing.business_unit_usage
  where org_id = ${orgId} and business_unit_ids @> array[${unitId}] limit 1`

/** One row where a part of the organization has chosen an option of the field; with an option: that one. */
export const findPartOfField = (sql: Sql, orgId: string, choice: { fieldId: string; optionId?: string }) => sql<
  { used: boolean }[]
>`
  select true as used from sourcing.custom_field_usage
  where org_id = ${orgId} and custom_fields @> ${JSON.stringify([choice])}::text::jsonb limit 1`
