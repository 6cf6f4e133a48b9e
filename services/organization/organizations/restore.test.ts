import { expect, test } from 'bun:test'
import type { ImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import type { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import type { Role } from '../../../proto/http/organization/roles.ts'
import { connect } from '../../kit/db/client.ts'
import { impersonateAs } from '../../testing/impersonation.ts'
import { RACING, testMarketplace } from '../../testing/marketplace.ts'
import { BY_BUS, type Page, type Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'
import { restoreAdministrator } from './restore.ts'

const market = await testMarketplace(RACING)
const sql = connect(market.db.ownerUrl, { max: 4, applicationName: 'operator', searchPath: 'organization' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))
const operator = { actingEmail: 'support@platform.example.com', reason: 'Ticket 4711' }
const restore = (email: string) => restoreAdministrator(sql, email, impersonateAs(operator), new Date().toISOString())

test('an administrator who lost permissions has all of them within a second', async () => {
  const org = await market.organization(['IP_OWNER'])
  const { client, userId, email } = org.administrator
  const [{ id: administrator } = { id: '' }] = (await client.get<Page<Role>>('/v1/roles?q=administrator')).body.items
  const limited = await client.post<Role>('/flows/v1/roles', {
    name: 'Limited administrator',
    permissions: ['org:admin', 'user:manage', 'role:manage'],
  })
  await client.post(`/flows/v1/roles/${limited.body.id}/grant`, { userId })
  expect((await client.post(`/flows/v1/roles/${administrator}/withdraw`, { userId })).status).toBe(200)

  const create = () => client.post<Problem>('/v1/parts', { title: 'x' })
  await until(async () => (await create()).status === 403, BY_BUS)
  expect((await client.post(`/flows/v1/roles/${administrator}/grant`, { userId })).status).toBe(403)
  const privileged = { name: 'Privileged', permissions: ['part:create'] }
  expect((await client.post('/flows/v1/roles', privileged)).status).toBe(403)

  expect(await restore(email.toUpperCase())).toEqual({ orgId: org.orgId, userId })
  await until(async () => (await create()).status === 200, BY_BUS)
  const [entry] = (await client.get<Page<AuditLogEntry>>('/v1/audit-log?impersonatedOnly=true')).body.items
  expect(entry).toMatchObject({
    procedure: 'role.grant',
    success: true,
    actor: { id: userId, email },
    impersonation: operator,
  })
  const { body } = await client.get<AuditLogEntryDetail>(`/v1/audit-log/${entry?.id}`)
  expect(body.request).toEqual({ id: administrator, userId })
  expect(body.impersonationDetail).toMatchObject({ redeemedTime: expect.any(String), revokedTime: expect.any(String) })
  const grants = await client.get<Page<ImpersonationGrant>>('/flows/v1/impersonation-grants')
  expect(grants.body.items[0]).toMatchObject({ userId, ...operator, revokedTime: expect.any(String) })
})

test('of concurrent calls one succeeds and grants the role only in the organization of the user', async () => {
  const [org, other] = [await market.organization(['IP_OWNER']), await market.organization(['IP_OWNER'])]
  const member = await org.member([])
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => restore(member.email)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const roles = await market.db.owner<{ org_id: string }[]>`
    select r.org_id from organization.user_roles ur join organization.roles r on r.id = ur.role_id
    where ur.user_id = ${member.userId} and r.name = 'Administrator'`
  expect(roles.map(({ org_id }) => org_id)).toEqual([org.orgId])
  await expect(restore(other.administrator.email)).rejects.toThrow('conflict')
})

test('a deactivated user is illegal_transition; an anonymised or unknown user is not_found', async () => {
  const org = await market.organization(['IP_OWNER'])
  const [inactive, anonymised] = [await org.member([]), await org.member([])]
  await org.administrator.client.post(`/flows/v1/users/${inactive.userId}/deactivate`)
  await org.administrator.client.post(`/flows/v1/users/${anonymised.userId}/anonymise`)
  await expect(restore(inactive.email)).rejects.toThrow('illegal_transition')
  for (const email of [anonymised.email, 'erased', 'unknown@example.com'])
    await expect(restore(email)).rejects.toThrow('not_found')
})
