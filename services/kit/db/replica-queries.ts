import type { Sql } from './client.ts'

/** Bytes of the log that the primary has on disk: every commit that was acknowledged or is visible. */
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
  timeline: number
}

export async function findServer(sql: Sql): Promise<Server> {
  const [row] = await sql<Server[]>`
    select pg_is_in_recovery() as "isStandby",
      (select system_identifier::text from pg_control_system()) as system,
      (select timeline_id from pg_control_checkpoint()) as timeline`
  return row as Server
}

/** The answer, or a failure when it takes longer. */
export async function checkedWithin<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer to a check within ${limitMs} ms`)), limitMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
