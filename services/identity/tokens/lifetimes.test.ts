import { describe, expect, test } from 'bun:test'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

let aheadMs = 0
const market = await marketplaceOf([], {}, undefined, { clock: () => Date.now() + aheadMs })
const { administrator } = await market.organization(['IP_OWNER'])

const token = (body: object) => market.anonymous.post<{ refresh_token: string }>('/v2.3/oauth/token', body)
/** Signs in and returns a function that refreshes with the newest refresh token, a time after the sign-in. */
async function signedIn() {
  const startMs = aheadMs
  const { body } = await token({ grant_type: 'password', username: administrator.email, password: TEST_PASSWORD })
  let newest = body.refresh_token
  return async (afterMs: number) => {
    aheadMs = startMs + afterMs
    const answer = await token({ grant_type: 'refresh_token', refresh_token: newest })
    newest = answer.body.refresh_token ?? newest
    return answer.status
  }
}

describe('a refresh token', () => {
  test('is valid for 14 days after the sign-in', async () => {
    const refreshAfter = await signedIn()
    expect(await refreshAfter(14 * DAY_MS + MINUTE_MS)).toBe(401)
    expect(await refreshAfter(14 * DAY_MS - MINUTE_MS)).toBe(200)
  })

  test('is valid for 14 days after the refresh that returned it', async () => {
    const refreshAfter = await signedIn()
    expect(await refreshAfter(10 * DAY_MS)).toBe(200)
    expect(await refreshAfter(24 * DAY_MS + MINUTE_MS)).toBe(401)
    expect(await refreshAfter(24 * DAY_MS - MINUTE_MS)).toBe(200)
  })

  test('is invalid 30 days after the sign-in, however recent', async () => {
    const refreshAfter = await signedIn()
    for (const day of [10, 20, 29]) expect(await refreshAfter(day * DAY_MS)).toBe(200)
    expect(await refreshAfter(30 * DAY_MS + MINUTE_MS)).toBe(401)
    expect(await refreshAfter(30 * DAY_MS - MINUTE_MS)).toBe(200)
  })
})
