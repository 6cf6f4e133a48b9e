const BATCHES_AT_MOST = 20

/** Removes in bounded statements: goes on while they are full, so that a busy day is swept too, but not for ever. */
export async function inBatches(
  limit: number,
  remove: (limit: number) => PromiseLike<{ count: number }>,
): Promise<{ count: number }> {
  let total = 0
  for (let batch = 0; batch < BATCHES_AT_MOST; batch++) {
    const { count } = await remove(limit)
    total += count
    if (count < limit) break
  }
  return { count: total }
}
