interface Key {
  revoked_at: string | null
  expires_at: string | null
  /** Whether the service account is active. */
  active: boolean
  last_used_at: string | null
}

/** Time after which the next use of a key is written. */
const USE_INTERVAL_MS = 60_000

/** Returns why a key obtains no token. Only senders with the right secret receive the reason. */
export function keyProblem(
  { revoked_at, expires_at, active }: Key,
  { isAllowedAddress, now }: { isAllowedAddress: boolean; now: string },
): string | undefined {
  if (revoked_at !== null) return 'The key was revoked.'
  if (expires_at !== null && expires_at <= now) return 'The key has expired.'
  if (!active) return 'The service account is not active.'
  if (!isAllowedAddress) return 'The key may not be used from this address.'
  return undefined
}

export const isUseDue = ({ last_used_at }: Key, now: string): boolean =>
  last_used_at === null || Date.parse(now) - Date.parse(last_used_at) >= USE_INTERVAL_MS

/** Seconds for which a token of the key is valid, at most as long as the key. */
export const tokenSeconds = ({ expires_at }: Key, maxSeconds: number, nowMs: number): number =>
  expires_at === null ? maxSeconds : Math.min(maxSeconds, Math.floor((Date.parse(expires_at) - nowMs) / 1000))
