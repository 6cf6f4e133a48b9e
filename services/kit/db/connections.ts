import type { Log } from '../log/log.ts'
import { connect, type Pool } from './client.ts'
import { PipelinedReads, type Reads } from './pipelined-reads.ts'
import { Standby } from './standby.ts'
import { withSpans } from './traced-pool.ts'

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
  standby?: { url: string; log: Log; onRead(server: 'primary' | 'standby'): void } | undefined
}

/** The connections of one service. */
export interface Connections {
  /** The pool of the primary. */
  sql: Pool
  /** Reads on the standby where there is one. */
  reads: Reads
  /** Reads on the primary. */
  primaryReads: Reads
  close(): Promise<void>
}

/** Short reads of tokens, and copies of audit entries. */
const SHARED_POOL_SIZE = 2

/** Opens the connections to the Postgres of the other services, for a service with a Postgres of its own. */
export const connectShared = (url: string, { applicationName, traced }: Omit<ServerConnections, 'size'>): Pool => {
  const options = { applicationName, statementSeconds: STATEMENT_SECONDS, server: 'primary' } as const
  const pool = connect(url, { max: SHARED_POOL_SIZE, ...options })
  return traced ? withSpans(pool) : pool
}

/** A pool, and one more connection for pipelined reads. */
function connectServer(
  url: string,
  server: 'primary' | 'standby',
  { applicationName, traced, size }: ServerConnections,
) {
  const open = (sizes: { max: number; maxPipelined?: number }): Pool => {
    const pool = connect(url, { applicationName, statementSeconds: STATEMENT_SECONDS, server, ...sizes })
    return traced ? withSpans(pool) : pool
  }
  const hasPipeline = server === 'standby' || size >= MIN_POOL_WITH_PIPELINE
  const pool = open({ max: hasPipeline ? Math.max(1, size - 1) : size })
  const pipeline = hasPipeline ? open({ max: 1, maxPipelined: MAX_PIPELINED }) : pool
  return { pool, pipeline, reads: new PipelinedReads(pool, pipeline) }
}

/** Opens the connections to the primary and, where one is named, to a standby for reads. */
export function connectService(url: string, { standby: options, ...shared }: ServiceConnections): Connections {
  const { pool: sql, reads: primaryReads } = connectServer(url, 'primary', shared)
  const standby =
    options && new Standby({ primary: primaryReads, ...connectServer(options.url, 'standby', shared), ...options })
  return {
    sql,
    reads: standby ?? primaryReads,
    primaryReads,
    async close() {
      await Promise.all([primaryReads.close(), standby?.close(), sql.end({ timeout: 5 })])
    },
  }
}
