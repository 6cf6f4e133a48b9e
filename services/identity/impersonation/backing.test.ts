import { expect, test } from 'bun:test'
import type { CreatedImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, type TestUser } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const admin = org.administrator.client
const GRANTS = '/flows/v1/impersonation-grants'

interface Tokens {
  access_token: string
  refresh_token: string
}

/** Somebody who acts as the user, under a grant of the giver. */
async function acting(user: TestUser, giver: TestUser) {
  const ask = { userId: user.userId, actingEmail: 'support@example.com', reason: 'Ticket 4711' }
  const grant = await giver.client.post<typeof CreatedImpersonationGrant.static>(GRANTS, ask)
  const token = new URL(grant.body.url).hash.slice(1)
  const { body } = await market.anonymous.post<Tokens>(`${GRANTS}/redeem`, { token })
  const client = new ApiClient(market.url, body.access_token)
  const status = async () => (await client.get('/v1/parts')).status
  expect(await status()).toBe(200)
  return { status, refreshToken: body.refresh_token }
}

async function expectEnd({ status, refreshToken }: Awaited<ReturnType<typeof acting>>, what: string) {
  await until(async () => (await status()) === 401, { withinMs: 3000, what })
  const again = { grant_type: 'refresh_token', refresh_token: refreshToken }
  expect((await market.anonymous.post('/v2.3/oauth/token', again)).status).toBe(401)
}

test('acting as somebody ends with the giver of the grant, and not what another gave', async () => {
  const [user, giver] = [await org.member([]), await org.member(['org:admin'])]
  const [theirs, another] = [await acting(user, giver), await acting(user, org.administrator)]
  expect((await admin.post(`/flows/v1/users/${giver.userId}/deactivate`)).status).toBe(200)
  await expectEnd(theirs, 'the end of the giver')
  expect(await another.status()).toBe(200)
})

test('acting as somebody ends when the giver is no administrator any more', async () => {
  const giver = await org.member(['org:admin'])
  const session = await acting(await org.member([]), giver)
  const held = await admin.get<{ items: { id: string }[] }>(`/v1/roles?userId=${giver.userId}`)
  for (const { id } of held.body.items) {
    expect((await admin.post(`/flows/v1/roles/${id}/withdraw`, { userId: giver.userId })).status).toBe(200)
  }
  await expectEnd(session, 'the end of the authority')
})

test('acting as somebody ends when they are granted what the giver lacks', async () => {
  const [user, giver] = [await org.member([]), await org.member(['org:admin'])]
  const [lesser, equal] = [await acting(user, giver), await acting(user, org.administrator)]
  await org.grant('Administrator', user.userId)
  await expectEnd(lesser, 'the promotion')
  expect(await equal.status()).toBe(200)
})

test('acting as somebody ends when their role is given what the giver lacks', async () => {
  const [user, giver] = [await org.member(['case:read']), await org.member(['org:admin', 'case:read'])]
  const session = await acting(user, giver)
  const held = await admin.get<{ items: { id: string }[] }>(`/v1/roles?userId=${user.userId}`)
  const [role] = held.body.items
  const patched = await admin.send('PATCH', `/flows/v1/roles/${role?.id}`, {
    body: { permissions: ['case:read', 'part:create'] },
  })
  expect(patched.status).toBe(200)
  await expectEnd(session, 'the change of the role')
})
