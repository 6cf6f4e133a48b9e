import type { Sql } from './client.ts'

/** Where the log of the primary ends. */
export interface LogPosition {
  /**
   * Bytes of the log on its disk: every commit that waited for it. A commit that does not wait, such as that of a
   * lease, may be missing.
   */
  bytes: number
  /** The history of the log, in hexadecimal. A promotion begins another one. */
  timeline: string
}

export async function findPosition(sql: Sql): Promise<LogPosition> {
  const [row] = await sql<{ bytes: string; timeline: string }[]>`
    select pg_wal_lsn_diff(lsn, '0/0')::text as bytes, left(pg_walfile_name(lsn), 8) as timeline
    from pg_current_wal_flush_lsn() lsn`
  return { bytes: Number(row?.bytes), timeline: row?.timeline ?? '' }
}

/** What a standby must have in common with the primary. */
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

/** The state of a standby in one session, which always leads to the same server. */
export interface StandbyState extends Server {
  /** Differs between sessions, and after a promotion. A process id alone may be used again after a restart. */
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

export async function findState(sql: Sql): Promise<StandbyState> {
  const [row] = await sql<[Omit<StandbyState, 'replayed'> & { replayed: string | null }]>`
    select ${identity(sql)}, pg_is_in_recovery() as "isStandby", concat_ws(' ', pg_backend_pid(),
        pg_postmaster_start_time(), inet_server_addr(), inet_server_port(), pg_is_in_recovery()) as session,
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as replayed,
      (select upper(lpad(to_hex(timeline_id), 8, '0')) from pg_control_checkpoint()) as timeline`
  return { ...row, replayed: Number(row.replayed ?? 0) }
}
