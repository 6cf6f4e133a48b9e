import { expect, test } from 'bun:test'
import type { CreatedImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, type TestUser } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const admin = org.administrator.client
const GRANTS = '/flows/v1/impersonation-grants'

interface Tokens {
  access_token: string
  refresh_token: string
}

/** An impersonation of the user under a grant by the grantor. */
async function acting(user: TestUser, grantor: TestUser) {
  const grantRequest = { userId: user.userId, actingEmail: 'support@example.com', reason: 'Ticket 4711' }
  const grant = await grantor.client.post<typeof CreatedImpersonationGrant.static>(GRANTS, grantRequest)
  const token = new URL(grant.body.url).hash.slice(1)
  const { body } = await market.anonymous.post<Tokens>(`${GRANTS}/redeem`, { token })
  const client = new ApiClient(market.url, body.access_token)
  const status = async () => (await client.get('/v1/parts')).status
  expect(await status()).toBe(200)
  return { status, refreshToken: body.refresh_token }
}

async function expectEnd({ status, refreshToken }: Awaited<ReturnType<typeof acting>>, what: string) {
  await until(async () => (await status()) === 401, { what })
  const again = { grant_type: 'refresh_token', refresh_token: refreshToken }
  expect((await market.anonymous.post('/v2.3/oauth/token', again)).status).toBe(401)
}

test('deactivating the grantor ends the impersonation under it and no other', async () => {
  const [user, grantor] = [await org.member([]), await org.member(['org:admin'])]
  const [ended, other] = [await acting(user, grantor), await acting(user, org.administrator)]
  expect((await admin.post(`/flows/v1/users/${grantor.userId}/deactivate`)).status).toBe(200)
  await expectEnd(ended, 'end after the deactivation')
  expect(await other.status()).toBe(200)
})

test('withdrawing org:admin from the grantor ends the impersonation', async () => {
  const grantor = await org.member(['org:admin'])
  const session = await acting(await org.member([]), grantor)
  const held = await admin.get<{ items: { id: string }[] }>(`/v1/roles?userId=${grantor.userId}`)
  for (const { id } of held.body.items) {
    expect((await admin.post(`/flows/v1/roles/${id}/withdraw`, { userId: grantor.userId })).status).toBe(200)
  }
  await expectEnd(session, 'end after the withdrawal')
})

test('granting the user a role with permissions that the grantor lacks ends the impersonation', async () => {
  const [user, grantor] = [await org.member([]), await org.member(['org:admin'])]
  const [lesser, equal] = [await acting(user, grantor), await acting(user, org.administrator)]
  await org.grant('Administrator', user.userId)
  await expectEnd(lesser, 'end after the grant')
  expect(await equal.status()).toBe(200)
})

test('adding a permission that the grantor lacks to a role of the user ends the impersonation', async () => {
  const [user, grantor] = [await org.member(['case:read']), await org.member(['org:admin', 'case:read'])]
  const session = await acting(user, grantor)
  const held = await admin.get<{ items: { id: string }[] }>(`/v1/roles?userId=${user.userId}`)
  const [role] = held.body.items
  const patched = await admin.send('PATCH', `/flows/v1/roles/${role?.id}`, {
    body: { permissions: ['case:read', 'part:create'] },
  })
  expect(patched.status).toBe(200)
  await expectEnd(session, 'end after the change')
})

test('changes of several organizations that are handled together end the impersonations of each', async () => {
  const scenes = await Promise.all(
    [1, 2, 3].map(async () => {
      const other = await market.organization(['IP_OWNER'])
      const [user, grantor] = [await other.member([]), await other.member(['org:admin'])]
      return { other, grantor, session: await acting(user, grantor) }
    }),
  )
  // The bus reads no event behind the oldest running transaction, so all arrive in one batch at its end.
  await market.db.owner.begin(async (tx) => {
    await tx`select pg_current_xact_id()`
    for (const { other, grantor } of scenes) {
      const { status } = await other.administrator.client.post(`/flows/v1/users/${grantor.userId}/deactivate`)
      expect(status).toBe(200)
    }
  })
  for (const { session } of scenes) await expectEnd(session, 'end after the deactivation')
})
