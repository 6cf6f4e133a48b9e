/** Polls a condition until it is truthy, so that tests need no fixed delays. */
export async function until<T>(
  condition: () => Promise<T | false | undefined | null> | T | false | undefined | null,
  { withinMs = 25_000, what = 'condition' }: { withinMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`${what} was not met within ${withinMs} ms`)
    await Bun.sleep(5)
  }
}
