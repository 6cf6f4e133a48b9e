import type { Sql } from '../db/client.ts'
import { MigrationRefused } from './refusal.ts'

export const OLDEST_POSTGRES = 18

interface ServerRow {
  /** `server_version_num`, such as 180004. */
  version: number
  folds: boolean
  database: string
}

/** Refuses a server that is too old, and a database in which a search does not fold the case of all alphabets. */
export async function requireServer(sql: Sql): Promise<void> {
  const [server] = await sql<[ServerRow]>`
    select current_setting('server_version_num')::integer as version, current_database() as database,
      case when current_setting('server_encoding') = 'UTF8' then 'ÖЖΣ' ilike 'öжσ' else false end as folds`
  const problem = serverProblem(server)
  if (problem !== undefined) throw new MigrationRefused(problem)
}

export function serverProblem({ version, folds, database }: ServerRow): string | undefined {
  const major = Math.floor(version / 10_000)
  if (major < OLDEST_POSTGRES) return `Postgres is version ${major}; ${OLDEST_POSTGRES} or newer is needed.`
  if (folds) return undefined
  return (
    `The database ${database} does not fold the case of all alphabets, so searches would miss records. Create another one: ` +
    "create database marketplace template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8';"
  )
}

/** Extensions of Postgres that a database owner may create. */
const EXTENSIONS = ['pg_trgm', 'btree_gin']

export async function ensureExtensions(sql: Sql): Promise<void> {
  for (const extension of EXTENSIONS) {
    await sql`create extension if not exists ${sql(extension)}`.catch((error) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new MigrationRefused(
        `The extension ${extension} cannot be created (${reason}). An administrator runs: create extension ${extension};`,
      )
    })
  }
}
