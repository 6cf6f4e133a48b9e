import { TokenBucket } from 'limiter'
import { LRUCache } from 'lru-cache'
import { refuse } from '../errors/refusal.ts'
import { requireWhole } from './whole-number.ts'

interface RateLimitOptions {
  /** Sustained requests per second for one organization, or one anonymous address, on one replica. */
  perSecond: number
  /** Requests that may arrive at the same time. */
  burst: number
}

/** Buckets kept in memory. The least recently used one is dropped first and restarts full. */
const MAX_KEYS = 50_000

export interface RateLimit {
  policy: string
  /** Takes one request from the bucket and returns the `RateLimit` field. Throws 429 when the bucket is empty. */
  take(key: string): string
  /** Counts a request that is answered in any case, such as a 401 or 404. It never throws. */
  count(key: string): string
}

/** In-process token buckets by key. The header fields are those of draft-ietf-httpapi-ratelimit-headers-10. */
export function createRateLimit({ perSecond, burst }: RateLimitOptions): RateLimit {
  requireWhole({ perSecond, burst }, 1)
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_KEYS })
  const windowSeconds = Math.max(1, Math.ceil(burst / perSecond))
  const policy = `"default";q=${burst};w=${windowSeconds}`
  const takeToken = (key: string) => {
    const bucket = buckets.get(key) ?? fullBucket(buckets, key, perSecond, burst)
    const taken = bucket.tryRemoveTokens(1)
    const left = Math.floor(bucket.content)
    return { taken, field: `"default";r=${left};t=${left === 0 ? 1 : windowSeconds}` }
  }
  return {
    policy,
    count: (key) => takeToken(key).field,
    take(key) {
      const { taken, field } = takeToken(key)
      if (taken) return field
      throw refuse('rate_limited', {
        detail: `At most ${perSecond} requests a second, with bursts of ${burst}.`,
        headers: { 'retry-after': '1', ratelimit: field, 'ratelimit-policy': policy },
      })
    },
  }
}

function fullBucket(buckets: LRUCache<string, TokenBucket>, key: string, perSecond: number, burst: number) {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: 'second' })
  bucket.content = burst
  buckets.set(key, bucket)
  return bucket
}
