import { describe, expect, test } from 'bun:test'
import { createServices } from '../../all/services.ts'
import { open } from '../../kit/service/run.ts'
import { captureLog } from '../../testing/captured-log.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { clientWith, createdAccount, createdKey, FORM } from '../../testing/service-accounts.ts'
import { until } from '../../testing/until.ts'

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

describe('a revoked access token', () => {
  test('stays revoked after a restart with a shorter ACCESS_TOKEN_SECONDS', async () => {
    let laterMs = 0
    const before = await marketplaceOf([], { ACCESS_TOKEN_SECONDS: '3600' }, undefined, {
      clock: () => Date.now() + laterMs,
    })
    const { administrator } = await before.organization(['IP_OWNER'])
    const { client } = administrator
    const { id } = await createdAccount(client)
    const [revokedKey, key] = [await createdKey(client, id), await createdKey(client, id)]
    const ofKey = await clientWith(before.url, revokedKey)
    const alone = await clientWith(before.url, key)
    const live = await clientWith(before.url, key)
    await client.post(`/flows/v1/service-accounts/${id}/keys/${revokedKey.clientId}/revoke`)
    const revocation = { token: alone.accessToken, client_id: key.clientId, client_secret: key.clientSecret }
    expect((await before.anonymous.post('/flows/v1/oauth/revoke', revocation, FORM)).status).toBe(200)
    expect((await client.post('/v2.3/oauth/revoke')).status).toBe(200)
    await before.stop()

    laterMs += 58 * MINUTE_MS
    const config = { ...before.config, ACCESS_TOKEN_SECONDS: 60 }
    const services = await createServices(['identity', 'organization'], config, {
      clock: () => Date.now() + laterMs,
      logDestination: captureLog().destination,
    })
    const after = await open({ services: Object.values(services), config, ownerOf: () => services.organization })
    const status = async (token: string | undefined) =>
      (await new ApiClient(`http://127.0.0.1:${after.port}`, token).get('/v1/users')).status
    // Until the first heartbeats, the service queries this view for each token.
    await before.db.owner`revoke select on identity.ended_sessions from marketplace_organization`
    await until(async () => (await status(live.accessToken)) === 200)
    for (const { accessToken } of [client, ofKey, alone]) expect(await status(accessToken)).toBe(401)
    await after.stop()
  })
})
