import type { Fragment, Sql } from './sql.ts'

/**
 * The conjunction of the conditions that apply. A condition that does not is false or undefined and adds nothing to the
 * statement.
 */
export const and = (sql: Sql, ...conditions: readonly (Fragment | false | undefined)[]): Fragment =>
  conditions
    .filter((condition) => condition !== undefined && condition !== false)
    .reduce((all, condition) => sql`${all} and (${condition})`, sql`true`)

/**
 * A condition that holds, and lets the commit of its transaction return before the disk has it (`synchronous_commit`).
 * It is for writes that a crash of Postgres may lose because they are repeated then, such as the lease of work that was
 * not recorded as finished. A later commit that waits for the disk also makes them durable.
 */
export const commitsAsynchronously = (sql: Sql) => sql`set_config('synchronous_commit', 'off', true) = 'off'`

/** The `like` pattern of a substring search. Wildcards in the text are escaped. */
export const contains = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Without three letters or digits in a row the whole trigram index would be read. */
export const hasTrigram = (q: string) => /[\p{L}\p{N}]{3}/u.test(q)

/** The same for ASCII only, where a search has another way for other texts. */
export const hasAsciiTrigram = (q: string) => /[a-z0-9]{3}/i.test(q)
