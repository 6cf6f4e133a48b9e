import type { Log } from '../log/log.ts'
import { connect, type Pool, type Sql } from './client.ts'
import { PipelinedReads, type Reads } from './pipelined-reads.ts'
import { Replica } from './replica.ts'
import { tracedPool } from './traced-pool.ts'

/** Above the `statement_timeout` of the service roles, which is the usual end of a slow statement. */
const STATEMENT_SECONDS = 6
/** A smaller pool has no connection to spare. */
const MIN_POOL_WITH_PIPELINE = 4
/** Upper bound of queries in flight on the connection; the reads' own limit keeps the number far below it. */
const MAX_PIPELINED = 1000

interface ServerConnections {
  size: number
  applicationName: string
  /** Whether statements have spans. */
  traced?: boolean
}

interface ServiceConnections extends ServerConnections {
  replica?: { url: string; log: Log; onRead(server: 'primary' | 'replica'): void } | undefined
}

export type ReadOnPool = <Rows>(read: (sql: Sql) => PromiseLike<Rows>) => Promise<Rows>

/** The connections of one service. */
export interface Connections {
  /** The pool of the primary. */
  sql: Pool
  /** Short reads, on the replica where there is one. */
  reads: Reads
  /** Short reads that always use the primary, for what decides. */
  primaryReads: Reads
  /** A read that is too long for the connection of short reads, on the replica where there is one. */
  readOnPool: ReadOnPool
  close(): Promise<void>
}

/** Opens a pool, or one connection for pipelined reads. */
function open(
  url: string,
  server: 'primary' | 'standby',
  { applicationName, traced }: ServerConnections,
  size: { max: number; maxPipelined?: number },
): Pool {
  const pool = connect(url, { applicationName, statementSeconds: STATEMENT_SECONDS, server, ...size })
  return traced ? tracedPool(pool) : pool
}

/** The connections to the primary: a pool, and one more for pipelined reads where the pool is large enough. */
function connectPrimary(url: string, shared: ServerConnections) {
  const hasPipeline = shared.size >= MIN_POOL_WITH_PIPELINE
  const sql = open(url, 'primary', shared, { max: hasPipeline ? shared.size - 1 : shared.size })
  const pipeline = hasPipeline ? open(url, 'primary', shared, { max: 1, maxPipelined: MAX_PIPELINED }) : undefined
  return { sql, reads: new PipelinedReads(sql, pipeline) }
}

/** The connections to the replica: a pool, and one more for pipelined reads. */
function connectReplica(url: string, shared: ServerConnections) {
  const sql = open(url, 'standby', shared, { max: Math.max(1, shared.size - 1) })
  const pipeline = open(url, 'standby', shared, { max: 1, maxPipelined: MAX_PIPELINED })
  return { sql, pipeline, reads: new PipelinedReads(sql, pipeline) }
}

/** Opens the connections to the primary and, where one is named, to a replica for reads. */
export function connectService(url: string, { replica: options, ...shared }: ServiceConnections): Connections {
  const { sql, reads: primaryReads } = connectPrimary(url, shared)
  const replica =
    options && new Replica({ primary: primaryReads, replica: connectReplica(options.url, shared), ...options })
  return {
    sql,
    reads: replica ?? primaryReads,
    primaryReads,
    readOnPool: async (read) => (replica ? replica.onPool(sql, read) : read(sql)),
    async close() {
      await Promise.all([primaryReads.close(), replica?.close(), sql.end({ timeout: 5 })])
    },
  }
}
