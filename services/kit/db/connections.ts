import type { Log } from '../log/log.ts'
import { connect, type Pool } from './client.ts'
import { PipelinedReads, type Reads } from './pipelined-reads.ts'
import { type ReadConnections, Replica } from './replica.ts'
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

export type ReadOnPool = <Rows>(read: (sql: Pool) => PromiseLike<Rows>) => Promise<Rows>

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

/** The connections to one server: a pool, and one more for pipelined reads where the pool is large enough. */
function connectServer(
  url: string,
  server: 'primary' | 'standby',
  { size, applicationName, traced }: ServerConnections,
): ReadConnections {
  const open = (max: number, maxPipelined?: number) => {
    const shared = { applicationName, statementSeconds: STATEMENT_SECONDS, server, max }
    const pool = connect(url, maxPipelined === undefined ? shared : { ...shared, maxPipelined })
    return traced ? tracedPool(pool) : pool
  }
  const hasPipeline = size >= MIN_POOL_WITH_PIPELINE
  const sql = open(hasPipeline ? size - 1 : size)
  const pipeline = hasPipeline ? open(1, MAX_PIPELINED) : undefined
  return { sql, reads: new PipelinedReads(sql, pipeline) }
}

/** Opens the connections to the primary and, where one is named, to a replica for reads. */
export function connectService(url: string, { replica: options, ...shared }: ServiceConnections): Connections {
  const { sql, reads: primaryReads } = connectServer(url, 'primary', shared)
  const replica =
    options &&
    new Replica({ primary: primaryReads, replica: connectServer(options.url, 'standby', shared), ...options })
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
