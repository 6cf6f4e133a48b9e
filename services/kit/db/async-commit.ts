import type { Sql } from './client.ts'

/**
 * A condition that holds, and lets the commit of its transaction return before the disk has it (`synchronous_commit`).
 * It is for writes that a crash of Postgres may lose because they are repeated then, such as the lease of work that was
 * not recorded as finished. A later commit that waits for the disk makes them durable, too.
 */
export const commitsAsynchronously = (sql: Sql) => sql`set_config('synchronous_commit', 'off', true) = 'off'`
