/**
 * Begins what every screen reads first while the other scripts are loaded. It is small, so that it comes before them,
 * and has no imports.
 */
import type { Begun } from './begun.ts'

interface Stored {
  accessToken: string
  expiresAtMs: number
}

const KEY = 'marketplace-session'
const TIMEOUT_MS = 30_000

const text = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)
const { accessToken = '', expiresAtMs = 0 }: Partial<Stored> = text === null ? {} : JSON.parse(text)
const begun: Begun = new Map()

// The frame of the screens is for those that have signed in.
if (text === null) document.documentElement.className = 'signed-out'
else if (Date.now() < expiresAtMs) {
  const paths = ['/flows/v1/me']
  if (location.pathname === '/console' && location.search === '') paths.push('/flows/v1/inbox?pageSize=25&page=1')
  for (const path of paths) {
    const authorization = `Bearer ${accessToken}`
    const response = fetch(path, { headers: { authorization }, signal: AbortSignal.timeout(TIMEOUT_MS) })
    response.catch(() => {})
    begun.set(location.origin + path, { authorization, response })
  }
}
window.begun = begun
