import type { Fragment, Sql } from './client.ts'

/**
 * The conjunction of the conditions that apply. A condition that does not is false or undefined and adds nothing to the
 * statement.
 */
export const and = (sql: Sql, ...conditions: readonly (Fragment | false | undefined)[]): Fragment =>
  conditions
    .filter((condition) => condition !== undefined && condition !== false)
    .reduce((all, condition) => sql`${all} and (${condition})`, sql`true`)
