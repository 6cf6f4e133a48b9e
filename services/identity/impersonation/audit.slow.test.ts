import { describe, expect, test } from 'bun:test'
import type { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { GRANTS, type Grant, grantRequest, impersonationFixtures, tokenOf } from '../../testing/impersonation.ts'

const { market, org, admin, create, redeem, refresh, acting, advance, lastAddress } = await impersonationFixtures()

describe('the audit log', () => {
  const listed = async (search: string) =>
    (await admin.client.get<{ items: AuditLogEntry[] }>(`/v1/audit-log?${search}`)).body.items

  test('shows creation, redemption and revocation, and everything that is done with the grant beside it', async () => {
    const user = await org.member(['part:create'])
    const { grant, client } = await acting(user)
    expect((await client.post('/v1/parts', { title: 'Made by another' })).status).toBe(200)
    expect((await client.post('/flows/v1/password/change', {})).status).toBe(400)
    await admin.client.post(`${GRANTS}/${grant.id}/revoke`)
    const impersonation = { ...grantRequest, grantId: grant.id, grantedByEmail: admin.email }
    const actor = { id: user.userId, email: user.email, name: expect.any(String) }
    const [made, redeemed] = await listed(`actorId=${user.userId}&impersonatedOnly=true`)
    expect(made).toMatchObject({ procedure: 'part.create', success: true, actor, impersonation })
    expect(redeemed).toMatchObject({ procedure: 'impersonationGrant.redeem', success: true, actor, impersonation })
    const detail = await admin.client.get<AuditLogEntryDetail>(`/v1/audit-log/${made?.id}`)
    const shown = (await admin.client.get<Grant>(`${GRANTS}/${grant.id}`)).body
    expect(detail.body.impersonationDetail).toEqual({
      redeemedTime: shown.redeemedTime as string,
      redeemedIp: lastAddress(),
      expireTime: shown.expireTime,
      revokedTime: shown.revokedTime as string,
    })
    const [revoked, created] = await listed(`q=impersonationGrant&actorId=${admin.userId}`)
    expect([revoked?.procedure, created?.procedure]).toEqual(['impersonationGrant.revoke', 'impersonationGrant.create'])
    expect(created).not.toHaveProperty('impersonation')
  })

  test('leaves out who authorized the grant when that is not resolvable any more', async () => {
    const giver = await org.member(['org:admin'])
    const user = await org.member([])
    await redeem(tokenOf((await create(user, {}, giver)).body))
    await market.db
      .owner`update organization.users set email = 'erased', anonymised_at = now() where id = ${giver.userId}`
    const [entry] = await listed(`actorId=${user.userId}&impersonatedOnly=true`)
    expect(entry?.impersonation).toMatchObject(grantRequest)
    expect(entry?.impersonation).not.toHaveProperty('grantedByEmail')
  })

  test('tells a stolen refresh token of an impersonated session with its grant', async () => {
    const user = await org.member([])
    const { grant, tokens } = await acting(user)
    await refresh(tokens.refresh_token)
    advance(11_000)
    expect((await refresh(tokens.refresh_token)).status).toBe(401)
    const [entry] = await listed(`actorId=${user.userId}&procedure=auth.refreshReuse`)
    expect(entry?.impersonation?.grantId).toBe(grant.id)
  })
})
