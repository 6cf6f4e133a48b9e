import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { ApiClient } from '../../testing/client.ts'
import {
  RACING,
  TEST_PASSWORD,
  type TestMarketplace,
  type TestUser,
  testMarketplace,
} from '../../testing/marketplace.ts'
import { act } from '../../testing/people.ts'
import { openSession } from '../../testing/sessions.ts'
import { holdRequest } from '../../testing/socket.ts'
import { until } from '../../testing/until.ts'

/** A caller loses the authority, by a command of another user, while the request is delayed. */
setDefaultTimeout(30_000)
const market = await testMarketplace({ ...RACING, TRUSTED_PROXIES: '1' })
const { owner } = market.db
const org = await market.organization(['IP_OWNER'])
const admin = org.administrator

interface Victim {
  user: TestUser
  client: ApiClient
  grantId: string
}

const [administratorRole] = await owner<{ id: string }[]>`
  select id from organization.roles where org_id = ${org.orgId} and name = 'Administrator'`

/** Each loss of authority with the status of the delayed request. */
const LOSSES: Record<string, { lose(victim: Victim): Promise<{ status: number }>; status: number; acting?: true }> = {
  deactivation: { lose: ({ user }) => act(admin.client, user.userId, 'deactivate'), status: 401 },
  'withdrawal of the role': {
    lose: ({ user }) => admin.client.post(`/flows/v1/roles/${administratorRole?.id}/withdraw`, { userId: user.userId }),
    status: 403,
  },
  logout: { lose: ({ client }) => client.post('/v2.3/oauth/revoke'), status: 401 },
  'password reset': { lose: ({ user }) => act(admin.client, user.userId, 'reset-password'), status: 401 },
  'revocation of the grant': {
    lose: ({ grantId }) => admin.client.post(`/flows/v1/impersonation-grants/${grantId}/revoke`),
    status: 401,
    acting: true,
  },
}

async function victimOf({ url }: TestMarketplace, acting: boolean): Promise<Victim> {
  const user = await org.member('Administrator')
  const grantId = newId('grant')
  const grant = acting ? { grantId, actingEmail: 'support@example.com' } : undefined
  const { accessToken } = await openSession(market, user, grant)
  return { user, client: new ApiClient(url, accessToken), grantId }
}

const held = (client: ApiClient, target: string, body: object) =>
  holdRequest(market.running.port, {
    target,
    headers: { authorization: `Bearer ${client.accessToken}` },
    body: JSON.stringify(body),
  })

const partsTitled = async (title: string) =>
  (await owner`select id from sourcing.parts where document::json->>'title' = ${title}`).length

describe.each(Object.entries(LOSSES))('%s', (_, { lose, status, acting = false }) => {
  test(`while the body is sent makes the command ${status}`, async () => {
    const victim = await victimOf(market, acting)
    const title = crypto.randomUUID()
    const { finish } = await held(victim.client, 'POST /v1/parts', { title })
    expect((await lose(victim)).status).toBe(200)
    expect([(await finish()).status, await partsTitled(title)]).toEqual([status, 0])
  })

  test(`while the command waits for its turn makes it ${status}`, async () => {
    const victim = await victimOf(market, acting)
    const title = crypto.randomUUID()
    const { waiting, release } = await occupyTurns()
    const command = victim.client.post('/v1/parts', { title })
    expect((await lose(victim)).status).toBe(200)
    await release()
    expect([(await command).status, await partsTitled(title)]).toEqual([status, 0])
    expect((await Promise.all(waiting)).map((answer) => answer.status)).toEqual([200, 200])
  })
})

/** Occupies both turns of the organization with commands on a part whose row is locked. */
async function occupyTurns() {
  const { body } = await admin.client.post<{ id: string }>('/v1/parts', { title: 'locked' })
  const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>()
  const { promise: released, resolve: onReleased } = Promise.withResolvers<void>()
  const lock = owner.begin(async (tx) => {
    await tx`select id from sourcing.parts where id = ${body.id} for update`
    onLocked()
    await released
  })
  await locked
  const rename = () => admin.client.send('PATCH', `/flows/v1/parts/${body.id}`, { body: { title: 'renamed' } })
  const waiting = [rename(), rename()]
  await until(async () => {
    const [blocked] = await owner<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%sourcing.parts%'`
    return blocked.count === 2
  })
  return {
    waiting,
    async release() {
      onReleased()
      await lock
    },
  }
}

test('a password change with the old password that is delayed over a reset is 401 and does not undo the reset', async () => {
  const user = await org.member([])
  const newPassword = 'a password that is chosen too late'
  const change = { currentPassword: TEST_PASSWORD, newPassword }
  const { finish } = await held(user.client, 'POST /flows/v1/password/change', change)
  expect((await act(admin.client, user.userId, 'reset-password')).status).toBe(200)
  expect((await finish()).status).toBe(401)
  for (const password of [TEST_PASSWORD, newPassword]) {
    const credentials = { grant_type: 'password', username: user.email, password }
    expect((await market.anonymous.post('/v2.3/oauth/token', credentials)).status).toBe(401)
  }
})

describe('two administrators, concurrently', () => {
  const pair = async () => [await org.member('Administrator'), await org.member('Administrator')] as const

  test('who deactivate each other: exactly one succeeds, the other is 401', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = await pair()
      const [ofA, ofB] = await Promise.all([
        held(a.client, `POST /flows/v1/users/${b.userId}/deactivate`, {}),
        held(b.client, `POST /flows/v1/users/${a.userId}/deactivate`, {}),
      ])
      const answers = await Promise.all([ofA.finish(), ofB.finish()])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    }
  })
})
