import { expect, test } from 'bun:test'
import { createServices } from '../../all/services.ts'
import { open } from '../../kit/service/run.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { act, BY_BUS } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

/** A replica of the service of users whose clock is four seconds behind that of the service of sessions. */
const market = await marketplaceWithWorkers(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const services = await createServices(['organization'], market.config, { clock: () => Date.now() - 4000 })
const replica = await open({
  services: Object.values(services),
  config: market.config,
  ownerOf: () => services.organization as NonNullable<typeof services.organization>,
})
market.db.beforeDrop(() => replica.stop())

test.each(['reset-password', 'deactivate'])(
  'a session opened just before %s on a replica whose clock is behind ends for good',
  async (verb) => {
    const member = await org.member([])
    const client = new ApiClient(market.url)
    await client.signIn(member.email, TEST_PASSWORD)
    const admin = new ApiClient(`http://127.0.0.1:${replica.port}`, org.administrator.client.accessToken)
    expect((await act(admin, member.userId, verb)).status).toBe(200)
    const refreshed = await market.anonymous.post('/v2.3/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: client.refreshToken,
    })
    expect(refreshed.status).toBe(401)
    await until(async () => (await client.get('/v1/parts')).status === 401, BY_BUS)
    await until(async () => {
      const live = await market.db.owner`
        select id from identity.sessions where user_id = ${member.userId} and ended_at is null`
      return live.length === 0
    }, BY_BUS)
  },
)
