import { describe, expect, test } from 'bun:test'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { newPerson } from '../../testing/people.ts'
import { provedDomain, type ScimClient, scimAccount, scimWorld } from '../../testing/scim.ts'
import { PROVIDERS, TestBrowser } from '../../testing/sso.ts'

const { market, idp, dns } = await scimWorld()
const add = (scim: ScimClient, roleId: string, userId: string) =>
  scim.operate(`/Groups/${roleId}`, { op: 'add', path: 'members', value: [{ value: userId }] })
const off = (scim: ScimClient, userId: string) =>
  scim.operate(`/Users/${userId}`, { op: 'replace', value: { active: false } })

describe('who must remain', () => {
  /** An organization whose only administrator is a person of its domain. */
  async function alone() {
    const small = await market.organization(['CONSUMER'])
    const { client, userId } = small.administrator
    const own = await provedDomain(client, { idp, dns })
    const email = `root@${own.domain}`
    await market.db.owner`update organization.users set email = ${email} where id = ${userId}`
    const roles = await client.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
    const administrators = roles.body.items.find(({ name }) => name === 'Administrator')?.id as string
    return { client, userId, email, administrators, ...own, scim: await scimAccount(market, client) }
  }

  test('the last administrator is neither deactivated nor leaves the group', async () => {
    const { scim, userId, administrators, domain: ownDomain } = await alone()
    const answers = [
      await off(scim, userId),
      await scim.delete(`/Users/${userId}`),
      await scim.operate(`/Groups/${administrators}`, { op: 'remove', path: `members[value eq "${userId}"]` }),
      await scim.operate(`/Groups/${administrators}`, { op: 'remove', path: 'members' }),
      await scim.operate(`/Groups/${administrators}`, { op: 'replace', path: 'members', value: [] }),
      await scim.put(`/Groups/${administrators}`, { displayName: 'Administrator', members: [] }),
    ]
    for (const { status, body } of answers)
      expect([status, body.detail]).toEqual([409, 'An organization needs at least one administrator'])
    const next = await scim.created('/Users', { userName: `next@${ownDomain}` })
    const members = [{ value: next.id }]
    const exchanged = await scim.put(`/Groups/${administrators}`, { displayName: 'Administrator', members })
    expect([exchanged.status, exchanged.body.members.map(({ value }) => value)]).toEqual([200, [next.id]])
    expect((await scim.delete(`/Users/${next.id}`)).status).toBe(409)
  })

  test('the break-glass administrator of an enforced provider stays, until another one is named', async () => {
    const { client, scim, userId, email, providerId: id, redirectUrl, domain: ownDomain } = await alone()
    await client.signIn(email, TEST_PASSWORD)
    const second = await scim.created('/Users', { userName: `second@${ownDomain}` })
    const roles = await client.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
    const administrators = roles.body.items.find(({ name }) => name === 'Administrator')?.id as string
    expect((await add(scim, administrators, second.id)).status).toBe(204)
    await idp.register(redirectUrl)
    idp.signsIn({ sub: 'root', email, email_verified: true })
    const browser = new TestBrowser(market)
    await browser.land(await browser.toCallback(await browser.startTest(client, id)))
    const enforced = await client.send('PATCH', `${PROVIDERS}/${id}`, {
      body: { enforce: true, breakGlassUserId: userId },
    })
    expect([enforced.status, enforced.text]).toEqual([200, enforced.text])
    for (const { status, body } of [
      await off(scim, userId),
      await scim.operate(`/Groups/${administrators}`, { op: 'remove', path: `members[value eq "${userId}"]` }),
    ]) {
      expect(status).toBe(409)
      expect(body.detail).toContain('is the break-glass administrator of the identity provider')
    }
    expect((await off(scim, second.id)).status).toBe(200)
  })

  test('service accounts and people of other domains are no members, so a replacement leaves them the role', async () => {
    const { client, scim, administrators, domain: ownDomain } = await alone()
    const outside = await client.post<{ id: string }>('/flows/v1/users', newPerson({ roleIds: [administrators] }))
    await client.post(`/flows/v1/roles/${administrators}/grant`, { userId: scim.userId })
    const next = await scim.created('/Users', { userName: `next@${ownDomain}` })
    const { body } = await scim.put(`/Groups/${administrators}`, {
      displayName: 'Administrator',
      members: [{ value: next.id }],
    })
    expect(body.members.map(({ value }) => value)).toEqual([next.id])
    const rows = await market.db.owner<{ user_id: string }[]>`
      select user_id from organization.user_roles where role_id = ${administrators}`
    expect(rows.map((row) => row.user_id).sort()).toEqual([next.id, scim.userId, outside.body.id].sort())
    for (const userId of [scim.userId, outside.body.id]) {
      expect((await scim.get(`/Users/${userId}`)).status).toBe(404)
      expect((await off(scim, userId)).status).toBe(404)
      expect((await add(scim, administrators, userId)).status).toBe(400)
    }
  })
})
