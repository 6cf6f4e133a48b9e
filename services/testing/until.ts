/** Waits for a condition, looking often: tests wait for what they mean, never for a time. */
export async function until<T>(
  condition: () => Promise<T | false | undefined | null> | T | false | undefined | null,
  { withinMs = 10_000, what = 'condition' }: { withinMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${withinMs} ms`)
    await Bun.sleep(5)
  }
}
