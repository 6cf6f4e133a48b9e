import { WARM_UP_MS } from './load.ts'

/** How much of something happens in a second, once the warm-up is over. */
export async function rateOf(counted: () => number, seconds: number): Promise<number> {
  await Bun.sleep(WARM_UP_MS)
  const [before, startedMs] = [counted(), performance.now()]
  await Bun.sleep(seconds * 1000)
  return ((counted() - before) / (performance.now() - startedMs)) * 1000
}
