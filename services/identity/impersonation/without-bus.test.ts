import { expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { type Created, GRANTS, grantRequest, tokenOf } from '../../testing/impersonation.ts'
import { marketplaceOf, type TestUser } from '../../testing/marketplace.ts'

/** Without workers there are no heartbeats, as while the bus is down, and no consumer ends a session. */
const market = await marketplaceOf(['sourcing', 'catalog'])
const org = await market.organization(['IP_OWNER'])
const admin = org.administrator.client

async function acting(user: TestUser, grantor: TestUser) {
  const grant = await grantor.client.post<Created>(GRANTS, { ...grantRequest, userId: user.userId })
  const token = tokenOf(grant.body)
  const { body } = await market.anonymous.post<{ access_token: string; refresh_token: string }>(`${GRANTS}/redeem`, {
    token,
  })
  const client = new ApiClient(market.url, body.access_token)
  return {
    /** Of a read in each service, and of a command. */
    statuses: async () => {
      const paths = ['/v1/parts', '/v1/users', '/flows/v1/sessions', '/v1/materials']
      const reads = await Promise.all(paths.map((path) => client.get(path)))
      return [...reads, await client.post('/v1/parts', { title: 'Impeller' })].map(({ status }) => status)
    },
    refresh: async () => {
      const again = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
      return (await market.anonymous.post('/v2.3/oauth/token', again)).status
    },
    liveSessions: async () =>
      (
        await market.db.owner`
          select from identity.sessions where user_id = ${user.userId} and grant_id is not null and ended_at is null`
      ).length,
  }
}

const withdraw = async ({ userId }: TestUser) => {
  const held = await admin.get<{ items: { id: string }[] }>(`/v1/roles?userId=${userId}`)
  for (const { id } of held.body.items) {
    expect((await admin.post(`/flows/v1/roles/${id}/withdraw`, { userId })).status).toBe(200)
  }
}

const LOSSES: Record<string, (grantor: TestUser, user: TestUser) => Promise<unknown>> = {
  'the deactivation of the grantor': ({ userId }) => admin.post(`/flows/v1/users/${userId}/deactivate`),
  "a reset of the grantor's password": ({ userId }) => admin.post(`/flows/v1/users/${userId}/reset-password`),
  'the withdrawal of org:admin from the grantor': withdraw,
  'a permission of the user that the grantor lacks': (_, { userId }) => org.grant('Administrator', userId),
}

test.each(Object.entries(LOSSES))(
  'without the bus, %s makes the access token of the impersonation 401',
  async (...row) => {
    const [, lose] = row
    const [user, grantor] = [await org.member(['part:create']), await org.member(['org:admin', 'part:create'])]
    const [ended, other] = [await acting(user, grantor), await acting(user, org.administrator)]
    expect(await ended.statuses()).toEqual([200, 200, 200, 200, 200])
    await lose(grantor, user)
    expect(await ended.statuses()).toEqual([401, 401, 401, 401, 401])
    expect(await other.statuses()).toEqual([200, 200, 200, 200, 200])
  },
)

test('a refresh ends an impersonation whose grantor lacks a permission of the user', async () => {
  const [user, grantor] = [await org.member([]), await org.member(['org:admin'])]
  const [lesser, equal] = [await acting(user, grantor), await acting(user, org.administrator)]
  await org.grant('Administrator', user.userId)
  expect([await lesser.refresh(), await lesser.liveSessions()]).toEqual([401, 1])
  expect([await equal.refresh(), await equal.liveSessions()]).toEqual([200, 1])
})
