import type { ServiceName } from '../../../../proto/services.ts'
import type { Pool } from '../../db/client.ts'
import type { Batch, Cursor, Feed, Position } from '../driver/driver.ts'
import { envelopeOf } from '../outbox/envelope.ts'
import {
  countUnread,
  findOvertaken,
  horizonOf,
  listOutboxPage,
  OUTBOX_PAGE_ROWS,
  type OutboxPageRow,
} from './queries.ts'

/**
 * Reads the outbox of a service through its published view. A horizon is the oldest running transaction; the cursor
 * moves from one horizon to the next and reads the transactions between them by seq. So no late commit is skipped, and
 * events of one record keep their order.
 */
export function outboxFeed(pool: Pool, service: ServiceName): Feed {
  /** Horizon below which all rows are read. */
  let emptyUpTo: string | undefined
  return {
    source: service,
    async next(cursor) {
      const span = await spanOf(pool, service, cursor)
      if (span.low === span.high || (span.high === emptyUpTo && span.seq === '0')) return undefined
      const rows = await listOutboxPage(pool, service, span)
      if (rows.length === 0 && span.seq === '0') {
        emptyUpTo = span.high
        return undefined
      }
      return batchOf(service, span, rows)
    },
    async lag(cursor) {
      const [row] = await countUnread(pool, service, cursor)
      return row?.waiting
    },
  }
}

/** The span to read: the unread rest of the cursor's span or, without one, from the last horizon to the current one. */
async function spanOf(pool: Pool, service: ServiceName, cursor: Cursor): Promise<Position> {
  const { low, high, seq } = cursor
  if (low !== high) return { low, high, seq, epoch: null }
  const [row] = await horizonOf(pool)
  const horizon = row?.horizon ?? low
  // Transaction ids restart when a dump is restored on another server. All rows are read again, without duplicates.
  const start = BigInt(horizon) < BigInt(low) ? '0' : low
  return { low: start, high: await orderedUpTo(pool, service, start, horizon), seq: '0', epoch: null }
}

/** The end of the longest span in which no event precedes an earlier one of its subject. */
async function orderedUpTo(pool: Pool, service: ServiceName, low: string, horizon: string): Promise<string> {
  if (low === horizon) return low
  const [row] = await findOvertaken(pool, service, { low, high: horizon })
  return row?.txid ? orderedUpTo(pool, service, low, row.txid) : horizon
}

function batchOf(service: ServiceName, span: Position, rows: readonly OutboxPageRow[]): Batch {
  const last = rows.length < OUTBOX_PAGE_ROWS ? undefined : rows.at(-1)
  return {
    received: rows.filter((row) => row.in_span).map((row) => ({ event: envelopeOf(service, row) })),
    to: last ? { ...span, seq: last.seq } : { low: span.high, high: span.high, seq: '0', epoch: null },
  }
}
