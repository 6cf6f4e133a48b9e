import { expect, test } from 'bun:test'
import { createServices } from '../all/services.ts'
import { open } from '../kit/service/run.ts'
import { captureLog } from '../testing/captured-log.ts'
import { ApiClient } from '../testing/client.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { clientWith, createdAccount, createdKey, FORM } from '../testing/service-accounts.ts'
import { until } from '../testing/until.ts'

const MINUTE_MS = 60_000

test('a revoked access token stays revoked after a restart with a shorter ACCESS_TOKEN_SECONDS', async () => {
  let laterMs = 0
  const before = await marketplaceWithWorkers([], { ACCESS_TOKEN_SECONDS: '3600' }, undefined, {
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
