import type { Sql } from './client.ts'

/** Where the log of the primary ends. */
export interface Position {
  /**
   * Bytes of the log on its disk: every commit that waited for it. A commit that does not wait, such as that of a
   * lease, may be missing.
   */
  bytes: number
  /** The history of the log, in hexadecimal. A promotion begins another one. */
  timeline: string
}

export async function findPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<{ bytes: string; timeline: string }[]>`
    select pg_wal_lsn_diff(lsn, '0/0')::text as bytes, left(pg_walfile_name(lsn), 8) as timeline
    from pg_current_wal_flush_lsn() lsn`
  return { bytes: Number(row?.bytes), timeline: row?.timeline ?? '' }
}

/** What a replica must have in common with the primary. */
export interface Server {
  /** Tells one database server, with its standbys, from others. */
  system: string
  database: string
  user: string
  /** Whether commits wait for the disk of the primary, so that its position includes them. */
  waitsForDisk: boolean
}

const identity = (sql: Sql) => sql`
  current_database() as database, current_user as user, current_setting('synchronous_commit') <> 'off' as "waitsForDisk",
  (select system_identifier::text from pg_control_system()) as system`

export async function findServer(sql: Sql): Promise<Server> {
  const [row] = await sql<[Server]>`select ${identity(sql)}`
  return row
}

/** The state of a replica in one session, which always leads to the same server. */
export interface Standby extends Server {
  /** Differs between sessions, and after a promotion. */
  session: string
  isStandby: boolean
  /** Bytes of the log that it has replayed. */
  replayed: number
  /**
   * The history that it replays, in hexadecimal, at its last restart point. After a failover it is the former one for
   * some time, in which its rows may be those of the former primary.
   */
  timeline: string
}

/** Of the session of a statement. The process id of a session may be used again after a restart. */
const session = (sql: Sql) => sql`
  concat_ws(' ', pg_backend_pid(), pg_postmaster_start_time(), inet_server_addr(), inet_server_port(), pg_is_in_recovery())`

export async function findStandby(sql: Sql): Promise<Standby> {
  const [row] = await sql<[Omit<Standby, 'replayed'> & { replayed: string | null }]>`
    select ${identity(sql)}, ${session(sql)} as session, pg_is_in_recovery() as "isStandby",
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as replayed,
      (select upper(lpad(to_hex(timeline_id), 8, '0')) from pg_control_checkpoint()) as timeline`
  return { ...row, replayed: Number(row.replayed ?? 0) }
}

/** The session as `findStandby` names it. */
export async function findSession(sql: Sql): Promise<string> {
  const [row] = await sql<[{ session: string }]>`select ${session(sql)} as session`
  return row.session
}

export class LateAnswer extends Error {}

/** The answer, or a failure when it takes longer. */
export async function checkedWithin<T>(limitMs: number, server: 'primary' | 'replica', answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new LateAnswer(`the ${server} did not answer within ${limitMs} ms`)),
    limitMs,
  )
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
