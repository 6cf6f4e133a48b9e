/** Reads again what the page shows; `data.ts` registers it. `isByTimer`: nothing has happened. */
type Reader = (isByTimer: boolean) => void
const readers = new Set<Reader>()

export const onRefresh = (read: Reader) => {
  // Several components may show the same.
  const reader: Reader = (isByTimer) => read(isByTimer)
  readers.add(reader)
  return () => readers.delete(reader)
}

export const refreshVisible = (isByTimer = false) => {
  for (const read of readers) read(isByTimer)
}

const EVERY_MS = 4_000

const refreshIfSeen = (isByTimer: boolean) => {
  if (document.visibilityState === 'visible') refreshVisible(isByTimer)
}
setInterval(() => refreshIfSeen(true), EVERY_MS)
document.addEventListener('visibilitychange', () => refreshIfSeen(false))
addEventListener('online', () => refreshIfSeen(false))
