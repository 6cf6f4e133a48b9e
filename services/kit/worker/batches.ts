const BATCHES_AT_MOST = 20

export interface Batches {
  /** Rows a statement at most. */
  limit: number
  /** No batch begins after it. */
  signal: AbortSignal
}

/**
 * Removes in bounded statements: goes on while they are full, so that a busy day is swept too, but not for ever. Answers how
 * many rows went.
 */
export async function inBatches(
  { limit, signal }: Batches,
  remove: (limit: number) => PromiseLike<{ count: number }>,
): Promise<number> {
  let total = 0
  for (let batch = 0; batch < BATCHES_AT_MOST && !signal.aborted; batch++) {
    const { count } = await remove(limit)
    total += count
    if (count < limit) break
  }
  return total
}
