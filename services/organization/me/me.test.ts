import { expect, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import type { Me } from '../../../proto/http/organization/me.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { BY_BUS } from '../../testing/people.ts'
import { clientWith, createdAccount, createdKey } from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers([])
const distributor = await market.organization(['DISTRIBUTOR'])
const org = await market.organization(['IP_OWNER'], { distributorOrgId: distributor.orgId, name: 'Skagen Pumps' })
const me = (client: ApiClient) => client.get<Static<typeof Me>>('/flows/v1/me')

test('the caller is its user with its own fields, its organization and its permissions in effect', async () => {
  const member = await org.member(['part:create', 'case:read'])
  const { status, body, headers } = await me(member.client)
  expect(status).toBe(200)
  expect(body).toEqual({
    user: {
      id: member.userId,
      email: member.email,
      givenName: 'Test',
      familyName: member.email.slice(0, 8),
      active: true,
      admin: false,
    },
    serviceAccount: false,
    organization: {
      id: org.orgId,
      name: 'Skagen Pumps',
      roles: ['IP_OWNER'],
      regionCode: 'NO',
      engagement: 'DISTRIBUTOR',
      distributorOrgId: distributor.orgId,
    },
    permissions: ['case:read', 'part:create'],
  })
  const again = await member.client.get('/flows/v1/me', { headers: { 'if-none-match': headers.get('etag') as string } })
  expect(again.status).toBe(304)
})

test('a permission that does not apply to the organization is not in effect', async () => {
  const { body } = await me(org.administrator.client)
  expect(body.permissions).toContain('org:admin')
  for (const key of ['platform:operate', 'app:consumer', 'rfq:create']) expect(body.permissions).not.toContain(key)
})

test('a granted role is in effect within a second', async () => {
  const member = await org.member([])
  expect((await me(member.client)).body.permissions).toEqual([])
  await org.grant('IP owner', member.userId)
  await until(async () => (await me(member.client)).body.permissions.includes('part:publish'), BY_BUS)
})

test('under an impersonation grant the answer names who acts, why and until when', async () => {
  const grant = { actingEmail: 'support@example.com', grantId: 'grant_of_me' }
  const { accessToken } = await openSession(market, org.administrator, grant)
  const { body } = await me(new ApiClient(market.url, accessToken))
  expect([body.user.id, body.impersonation]).toEqual([
    org.administrator.userId,
    { ...grant, reason: 'a test', expireTime: expect.stringMatching(/^\d{4}-.*Z$/) },
  ])
})

test('a service account is one', async () => {
  const admin = org.administrator.client
  const account = await createdAccount(admin, { name: 'ERP' })
  const { body } = await me(await clientWith(market.url, await createdKey(admin, account.id)))
  expect([body.serviceAccount, body.user.id, body.user.givenName, body.permissions]).toEqual([
    true,
    account.id,
    'ERP',
    [],
  ])
})

test('without a token it is 401', async () => {
  expect((await me(market.anonymous)).status).toBe(401)
})
