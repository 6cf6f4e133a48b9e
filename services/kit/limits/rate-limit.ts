import { TokenBucket } from 'limiter'
import { LRUCache } from 'lru-cache'
import { refuse } from '../errors/refusal.ts'

export interface RateLimitOptions {
  /** Requests a second that one organization, or one anonymous address, may go on sending to one replica. */
  perSecond: number
  /** Requests that may come at once. */
  burst: number
}

/** Keys remembered at once; the longest silent one is forgotten first, and starts again with a full bucket. */
const MAX_KEYS = 50_000

export interface RateLimit {
  policy: string
  /** Takes one request from the key's bucket and answers the `RateLimit` field; throws 429 when it is empty. */
  take(key: string): string
  /** The same for an answer that is given whatever the bucket holds (a 401, a 404): counted, never refused. */
  note(key: string): string
}

/** A token bucket for each key, in this process; headers in the structured form of the IETF draft. */
export function createRateLimit({ perSecond, burst }: RateLimitOptions): RateLimit {
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_KEYS })
  const windowSeconds = Math.max(1, Math.ceil(burst / perSecond))
  const policy = `"default";q=${burst};w=${windowSeconds}`
  const count = (key: string) => {
    const bucket = buckets.get(key) ?? fullBucket(buckets, key, perSecond, burst)
    const taken = bucket.tryRemoveTokens(1)
    const left = Math.floor(bucket.content)
    return { taken, field: `"default";r=${left};t=${left === 0 ? 1 : windowSeconds}` }
  }
  return {
    policy,
    note: (key) => count(key).field,
    take(key) {
      const { taken, field } = count(key)
      if (taken) return field
      throw refuse('rate_limited', {
        detail: `At most ${perSecond} requests a second, ${burst} at once.`,
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
