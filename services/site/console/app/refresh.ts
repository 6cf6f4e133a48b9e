/** Reads again what the page shows; `data.ts` registers it. */
const readers = new Set<() => void>()

export const onRefresh = (read: () => void) => {
  // Several components may show the same.
  const reader = () => read()
  readers.add(reader)
  return () => readers.delete(reader)
}

export const refreshVisible = () => {
  for (const read of readers) read()
}

const EVERY_MS = 4_000

const refreshIfSeen = () => {
  if (document.visibilityState === 'visible') refreshVisible()
}
setInterval(refreshIfSeen, EVERY_MS)
document.addEventListener('visibilitychange', refreshIfSeen)
addEventListener('online', refreshIfSeen)
