/** Requests at a time, so that many of them stay below the rate limit of an organization. */
const MAX_AT_ONCE = 4

/** The results of a request for each item, in their order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await run(item)
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
  return results
}
