import { isDependencyFailure } from '../db/failures.ts'
import type { Log } from '../log/log.ts'
import { OutdatedSchema } from '../migrate/migrate.ts'

const POLL_MS = 500
const LOG_EVERY_MS = 10_000

/** Postgres: no such role, database, schema or table, and no privilege yet. The migration creates them. */
const ABSENT = new Set(['28000', '3D000', '3F000', '42501', '42P01'])

const isUnmigrated = (error: unknown) => ABSENT.has(String((error as { code?: unknown } | null)?.code))

/** Repeats the work while Postgres is unavailable, and logs that it waits. The service is not ready meanwhile. */
export async function waitForDatabase<T>(
  log: Log,
  work: () => Promise<T>,
  isAbsent: (error: unknown) => boolean = () => false,
): Promise<T> {
  let loggedMs = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDependencyFailure(error) && !isAbsent(error)) throw error
      const reason = isAbsent(error) ? 'the schema of this service, which scripts/migrate creates' : 'Postgres'
      if (performance.now() - loggedMs >= LOG_EVERY_MS) {
        loggedMs = performance.now()
        log.warn({ err: error }, `not ready: waiting for ${reason}`)
      }
      await Bun.sleep(POLL_MS)
    }
  }
}

/** Waits for Postgres and for the first migration of the schema. An older schema is refused immediately. */
export async function waitForSchema(log: Log, requireSchema: () => Promise<void>): Promise<void> {
  let wasUnmigrated = false
  await waitForDatabase(log, requireSchema, (error) => {
    wasUnmigrated ||= isUnmigrated(error)
    // While the first migration runs, the schema is older for a moment.
    return isUnmigrated(error) || (wasUnmigrated && error instanceof OutdatedSchema)
  })
}
