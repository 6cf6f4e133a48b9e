import type { Pool, Tx } from '../db/client.ts'
import type { Log } from '../log/log.ts'
import { levelOf } from './worker.ts'

/** Repeats a step until it returns false, because nothing is left, or the signal aborts. */
export async function drain(signal: AbortSignal, step: () => PromiseLike<boolean>): Promise<void> {
  while (!signal.aborted && (await step())) {}
}

/** Records that may fail in one round. */
const MAX_FAILED = 100

export interface DrainDeps {
  sql: Pool
  log: Log
  now: () => string
}

interface Drained extends DrainDeps {
  signal: AbortSignal
  /** Maximum records of one transaction. */
  limit: number
}

/** The records to take. */
export interface Due {
  /** The time of the transaction. */
  now: string
  limit: number
  /** Records that failed in this round. */
  except: readonly string[]
}

/**
 * Takes records and handles them in the same transaction, for as long as the batches are full. After a failure each
 * record has a transaction of its own, and one that fails is left for the next round, so that the others are handled.
 */
export async function drainIn<Row extends { id: string }>(
  { sql, log, now, signal, limit }: Drained,
  take: (tx: Tx, due: Due) => PromiseLike<readonly Row[]>,
  handle: (tx: Tx, rows: readonly Row[], now: string) => Promise<unknown>,
): Promise<void> {
  const except: string[] = []
  let size = limit
  await drain(signal, async () => {
    let rows: readonly Row[] = []
    try {
      await sql.begin(async (tx) => {
        const at = now()
        rows = await take(tx, { now: at, limit: size, except })
        if (rows.length > 0) await handle(tx, rows, at)
      })
      return rows.length === size
    } catch (err) {
      const [row] = rows
      if (!row || except.length === MAX_FAILED) throw err
      if (rows.length === 1) {
        except.push(row.id)
        log[levelOf(err)]({ err, id: row.id }, 'a due record was not handled; it is tried again in the next round')
      }
      size = 1
      return true
    }
  })
}

/** The items in batches of a size. */
export const batchesOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

const MAX_BATCHES = 20

interface Batches {
  /** Maximum rows of one statement. */
  limit: number
  /** No batch starts after it has aborted. */
  signal: AbortSignal
}

/** Deletes in bounded batches for as long as they are full, up to a maximum number. Returns the number of rows. */
export async function inBatches(
  { limit, signal }: Batches,
  remove: (limit: number) => PromiseLike<{ count: number }>,
): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
    const { count } = await remove(limit)
    total += count
    if (count < limit) break
  }
  return total
}
