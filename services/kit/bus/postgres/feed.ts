import type { ServiceName } from '../../../../proto/services.ts'
import type { Pool } from '../../db/client.ts'
import type { Feed } from '../consumer.ts'
import type { Batch } from '../inbox.ts'
import { envelopeOf } from '../outbox/envelope.ts'
import {
  type Cursor,
  horizonOf,
  listOutboxPage,
  OUTBOX_PAGE_ROWS,
  type OutboxPageRow,
  type Position,
} from '../queries.ts'

/**
 * Reads the outbox of a service through its published view. The cursor goes from horizon to horizon: everything of
 * the transactions between two of them, by seq. A transaction that commits late therefore is not passed over, and of
 * two that changed one record the later stays the later.
 */
export function outboxFeed(pool: Pool, service: ServiceName): Feed {
  /** Horizon up to which nothing was found: until there is a new one, nothing will be. */
  let emptyUpTo: string | undefined
  return {
    source: service,
    async next(cursor) {
      const span = await spanOf(pool, cursor)
      if (span.low === span.high || (span.high === emptyUpTo && span.seq === '0')) return undefined
      const rows = await listOutboxPage(pool, service, span)
      if (rows.length === 0 && span.seq === '0') {
        emptyUpTo = span.high
        return undefined
      }
      return batchOf(service, span, rows)
    },
    settled() {},
  }
}

/** The part of the outbox to read now: what is left between the cursor's horizons, else from its last to the present one. */
async function spanOf(pool: Pool, { low, high, seq }: Cursor): Promise<Position> {
  if (low !== high) return { low, high, seq, epoch: null }
  const [row] = await horizonOf(pool)
  const horizon = row?.horizon ?? low
  // Transaction ids begin anew where a dump was restored into another server: all is read again, copies are dropped.
  return { low: BigInt(horizon) < BigInt(low) ? '0' : low, high: horizon, seq: '0', epoch: null }
}

function batchOf(service: ServiceName, span: Position, rows: readonly OutboxPageRow[]): Batch {
  const last = rows.length < OUTBOX_PAGE_ROWS ? undefined : rows.at(-1)
  return {
    incoming: rows.filter((row) => row.in_span).map((row) => ({ event: envelopeOf(service, row) })),
    to: last ? { ...span, seq: last.seq } : { low: span.high, high: span.high, seq: '0', epoch: null },
  }
}
