import type { Sql } from './client.ts'

/**
 * Bytes of the log that the primary has on disk: every commit that waited for it. A commit that does not, such as that
 * of a lease, may be missing.
 */
export async function findPosition(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: string }[]>`
    select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as position`
  return Number(row?.position)
}

/** Bytes of the log that the replica has replayed; zero on a server without a log of a primary. */
export async function findReplayed(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: string | null }[]>`
    select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as position`
  return Number(row?.position ?? 0)
}

interface Server {
  isStandby: boolean
  /** Tells one database server, with its standbys, from others. */
  system: string
  database: string
  /** Whether commits wait for the disk of the primary, so that its position includes them. */
  waitsForDisk: boolean
  timeline: number
}

export async function findServer(sql: Sql): Promise<Server> {
  const [row] = await sql<Server[]>`
    select pg_is_in_recovery() as "isStandby", current_database() as database,
      current_setting('synchronous_commit') <> 'off' as "waitsForDisk",
      (select system_identifier::text from pg_control_system()) as system,
      (select timeline_id from pg_control_checkpoint()) as timeline`
  return row as Server
}

export class LateAnswer extends Error {}

/** The answer, or a failure when it takes longer. */
export async function checkedWithin<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new LateAnswer(`the replica did not answer within ${limitMs} ms`)),
    limitMs,
  )
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
