/** Waits until SIGTERM; meanwhile `kubectl exec … -- marketplace operator …` runs commands in the container. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

console.log('Waiting for commands.')
// The handler of a signal keeps no process alive: without the timer Bun repeats its event loop and takes a whole core.
const handle = setInterval(() => {}, LONGEST_TIMER_MS)
await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
clearInterval(handle)
process.exit(0)

export {}
