import postgres from 'postgres'
import { withAnnouncements } from './announcements.ts'
import { credentialsOf } from './password-file.ts'
import type { Fragment, Pool, Sql, Tx } from './sql.ts'

export type { Fragment, Pool, Sql, Tx }

interface PoolOptions {
  /** Maximum number of connections. */
  max: number
  applicationName: string
  /** Schema of unqualified table names. Service roles have it set; the owner of the database needs it. */
  searchPath?: string
  /** Maximum queries in flight on one connection. Default: 1. */
  maxPipelined?: number
  /** Longest wait for a statement, after which it fails and its connection is closed. Default: unlimited. */
  statementSeconds?: number
  /** Refuses servers of the other kind, so that after a failover a new connection leads to the new primary. */
  server?: 'primary' | 'standby'
}

/**
 * Connections of a pool do not pipeline, because a short query would wait behind a slow one. Short reads have a
 * connection of their own (`PipelinedReads`).
 */
const UNPIPELINED = 1
/** Time to connect, after which the query fails. */
const CONNECT_TIMEOUT_SECONDS = 5
/** Short pauses between attempts to connect, so that a service recovers soon after the database. */
const reconnectSeconds = () => 0.1 + Math.random() * 0.1

/**
 * Creates a pool that connects with its first query. Times are ISO strings in UTC with milliseconds, as in the API, and
 * bigints are strings.
 */
export function connect(
  url: string,
  { max, applicationName, searchPath, maxPipelined = UNPIPELINED, statementSeconds, server }: PoolOptions,
): Pool {
  // The types of postgres.js lack `max_pipeline`, the number of queries at which a connection counts as busy, and
  // `query_timeout`, which the patch adds.
  const untyped = { max_pipeline: maxPipelined, query_timeout: statementSeconds }
  const { address, password } = credentialsOf(url)
  const pool = postgres(address, {
    ...untyped,
    ...(password ? { password } : {}),
    ...(server ? { target_session_attrs: server } : {}),
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: reconnectSeconds,
    connection: { application_name: applicationName, ...(searchPath ? { search_path: `${searchPath}, public` } : {}) },
    onnotice: () => {},
    types: ISO_TIMES,
  })
  return withAnnouncements(pool)
}

/** Converts times between Postgres and ISO strings. */
export const ISO_TIMES = {
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (value: string | Date) => (value instanceof Date ? value.toISOString() : value),
    parse: (text: string) => isoTime(text),
  },
}

/** Postgres prints `2026-04-29 09:10:00.5+00`; the API shows `2026-04-29T09:10:00.500Z`. */
function isoTime(text: string): string {
  return new Date(text).toISOString()
}
