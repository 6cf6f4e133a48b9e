const FIRST_PAUSE_MS = 5
/** Most conditions are a request or a statement, which costs as much CPU as a pause is short. */
const LONGEST_PAUSE_MS = 100

/**
 * Polls a condition, with growing pauses, until it is truthy, so that tests need no fixed delays.
 * The last try starts after `withinMs`, so that a slow try that started before does not decide.
 */
export async function until<T>(
  condition: () => Promise<T | false | undefined | null> | T | false | undefined | null,
  { withinMs = 25_000, what = 'condition' }: { withinMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const isLast = performance.now() > deadline
    const value = await condition()
    if (value) return value
    if (isLast) throw new Error(`${what} was not met within ${withinMs} ms`)
    await Bun.sleep(pauseMs)
  }
}
