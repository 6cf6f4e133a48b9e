import postgres from 'postgres'

/** A pool, or one connection of it inside a transaction: what every query function takes. */
export type Sql = postgres.Sql | postgres.TransactionSql
/** A pool: what begins transactions. */
export type Pool = postgres.Sql
/** A transaction: what state changes, history, audit and outbox share. */
export type Tx = postgres.TransactionSql

export interface PoolOptions {
  /** Connections at most. */
  max: number
  applicationName: string
  /** How long to wait for a connection to Postgres before the query fails. */
  connectTimeoutSeconds?: number
  /** Schema whose kit tables unqualified names mean; a service role has it set, the owner of the database does not. */
  searchPath?: string
  /** Queries on their way on one connection; more than one share its fate and wait for each other. */
  queriesAtOnce?: number
}

/**
 * On each connection of a pool: eight connections that pipeline take about twice the time of eight that do not, for each
 * then writes to its socket alone, and a short query may wait behind a slow one. Short reads have a connection of their own (`PipelinedReads`).
 */
const QUERIES_AT_ONCE = 1

/**
 * Opens a pool lazily: no connection is made before the first query.
 * Times come back as ISO strings in UTC with milliseconds, as the API shows them, and bigints as strings.
 */
export function connect(
  url: string,
  { max, applicationName, connectTimeoutSeconds = 5, searchPath, queriesAtOnce = QUERIES_AT_ONCE }: PoolOptions,
): Pool {
  // postgres.js takes the number at which a connection counts as busy, but its types do not know of it.
  const pipelining: Record<string, number> = { max_pipeline: queriesAtOnce }
  return postgres(url, {
    ...pipelining,
    max,
    connect_timeout: connectTimeoutSeconds,
    connection: { application_name: applicationName, ...(searchPath ? { search_path: `${searchPath}, public` } : {}) },
    onnotice: () => {},
    types: ISO_TIMES,
  })
}

/** How times go to Postgres and come back. */
export const ISO_TIMES = {
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (value: string | Date) => (value instanceof Date ? value.toISOString() : value),
    parse: (text: string) => isoTime(text),
  },
}

/** Postgres prints `2026-04-29 09:10:00.5+00`; the API shows `2026-04-29T09:10:00.500Z`. */
export function isoTime(text: string): string {
  return new Date(text).toISOString()
}
