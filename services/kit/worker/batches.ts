/** Repeats a step until it returns false, because nothing is left, or the signal aborts. */
export async function drain(signal: AbortSignal, step: () => PromiseLike<boolean>): Promise<void> {
  while (!signal.aborted && (await step())) {}
}

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
