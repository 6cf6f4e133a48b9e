import { describe, expect, test } from 'bun:test'
import type { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { GRANTS, type Grant, grantRequest, impersonationFixtures, tokenOf } from '../../testing/impersonation.ts'

const { market, org, admin, create, redeem, refresh, acting, advance, lastAddress } = await impersonationFixtures()

describe('the audit log', () => {
  const listed = async (search: string) =>
    (await admin.client.get<{ items: AuditLogEntry[] }>(`/v1/audit-log?${search}`)).body.items

  test('records creation, redemption and revocation of a grant, and every action under it with the grant', async () => {
    const user = await org.member(['part:create'])
    const { grant, client } = await acting(user)
    expect((await client.post('/v1/parts', { title: 'Made by another' })).status).toBe(200)
    expect((await client.post('/flows/v1/password/change', {})).status).toBe(400)
    await admin.client.post(`${GRANTS}/${grant.id}/revoke`)
    const impersonation = { ...grantRequest, grantId: grant.id, grantedByEmail: admin.email }
    const actor = { id: user.userId, email: user.email, name: expect.any(String) }
    const [partCreated, redeemed] = await listed(`actorId=${user.userId}&impersonatedOnly=true`)
    expect(partCreated).toMatchObject({ procedure: 'part.create', success: true, actor, impersonation })
    expect(redeemed).toMatchObject({ procedure: 'impersonationGrant.redeem', success: true, actor, impersonation })
    const detail = await admin.client.get<AuditLogEntryDetail>(`/v1/audit-log/${partCreated?.id}`)
    const grantNow = (await admin.client.get<Grant>(`${GRANTS}/${grant.id}`)).body
    expect(detail.body.impersonationDetail).toEqual({
      redeemedTime: grantNow.redeemedTime as string,
      redeemedIp: lastAddress(),
      expireTime: grantNow.expireTime,
      revokedTime: grantNow.revokedTime as string,
    })
    const [revoked, created] = await listed(`q=impersonationGrant&actorId=${admin.userId}`)
    expect([revoked?.procedure, created?.procedure]).toEqual(['impersonationGrant.revoke', 'impersonationGrant.create'])
    expect(created).not.toHaveProperty('impersonation')
  })

  test('omits grantedByEmail after the grantor was anonymised', async () => {
    const grantor = await org.member(['org:admin'])
    const user = await org.member([])
    await redeem(tokenOf((await create(user, {}, grantor)).body))
    await market.db
      .owner`update organization.users set email = 'erased', anonymised_at = now() where id = ${grantor.userId}`
    const [entry] = await listed(`actorId=${user.userId}&impersonatedOnly=true`)
    expect(entry?.impersonation).toMatchObject(grantRequest)
    expect(entry?.impersonation).not.toHaveProperty('grantedByEmail')
  })

  test('records the reuse of a refresh token of an impersonation with its grant', async () => {
    const user = await org.member([])
    const { grant, tokens } = await acting(user)
    await refresh(tokens.refresh_token)
    advance(11_000)
    expect((await refresh(tokens.refresh_token)).status).toBe(401)
    const [entry] = await listed(`actorId=${user.userId}&procedure=auth.refreshReuse`)
    expect(entry?.impersonation?.grantId).toBe(grant.id)
  })
})
