import { expect, test } from 'bun:test'
import { Refusal } from '../errors/refusal.ts'
import { createRateLimit } from './rate-limit.ts'

const LIMITS = { perSecond: 10, burst: 20 }

test('the request after a burst is 429 with Retry-After, and another key is unaffected', () => {
  const limit = createRateLimit(LIMITS)
  for (let n = 0; n < 20; n++) limit.take('org_a')
  try {
    limit.take('org_a')
    throw new Error('was accepted')
  } catch (error) {
    const refusal = error as Refusal
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal.code).toBe('rate_limited')
    expect(refusal.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"default";r=0;t=1' })
  }
  expect(limit.take('org_b')).toBe('"default";r=19;t=2')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 0.5])('a limit of %d is refused', (limit) => {
  expect(() => createRateLimit({ perSecond: limit, burst: 1 })).toThrow('perSecond must be a whole number')
  expect(() => createRateLimit({ perSecond: 1, burst: limit })).toThrow('burst must be a whole number')
})

test('the policy contains the capacity and the refill time', () => {
  expect(createRateLimit(LIMITS).policy).toBe('"default";q=20;w=2')
})
