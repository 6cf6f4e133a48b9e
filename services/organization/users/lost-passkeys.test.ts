import { describe, expect, test } from 'bun:test'
import { TestAuthenticator } from '../../testing/authenticator.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import {
  addPasskey,
  enrolled,
  PASSKEYS,
  requireSecondFactor,
  SignInBrowser,
  startedPasskey,
  strictMember,
} from '../../testing/passkeys.ts'
import { entriesOf, type Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers([], { TRUSTED_PROXIES: '1' })
const org = await market.organization(['CONSUMER'])
const { client: admin } = org.administrator
await requireSecondFactor(market, admin)

let addresses = 0
const newBrowser = () => new SignInBrowser(market, `203.0.113.${++addresses}`)
const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)

describe('lost passkeys', () => {
  const reset = (client: ApiClient, userId: string) => client.post<Problem>(`/flows/v1/users/${userId}/reset-passkeys`)

  test('are all removed by user:manage; sessions end, the password stays, and the person registers anew', async () => {
    const member = await strictMember(market, org)
    const lost = await addPasskey(market, member.client)
    await addPasskey(market, member.client)
    const manager = await strictMember(market, org)
    await org.grant('Administrator', manager.userId)
    expect((await reset(manager.client, member.userId)).status).toBe(204)
    await until(async () => (await member.client.get('/flows/v1/me')).status === 401, {
      what: 'the end of the session',
    })
    expect((await newBrowser().byPasskey(lost.authenticator)).status).toBe(401)
    expect((await enrolled(market, member)).answer.status).toBe(200)
    expect((await entriesOf(market, org.orgId, 'user.resetPasskeys')).at(-1)).toEqual({
      success: true,
      error: null,
      actor_id: manager.userId,
      request: { id: member.userId, removed: 2 },
    })
  })

  test('are not reset without user:manage (403), for one with more permissions (403), or elsewhere (404)', async () => {
    const other = await market.organization(['CONSUMER'])
    const [powerless, manager, victim] = [
      await other.member([]),
      await other.member(['user:manage']),
      await other.member(['rfq:create']),
    ]
    const { authenticator } = await addPasskey(market, victim.client)
    expect((await reset(powerless.client, victim.userId)).status).toBe(403)
    expect((await reset(manager.client, victim.userId)).status).toBe(403)
    const foreign = await reset(admin, victim.userId)
    const unknown = await reset(admin, 'user_unknown')
    expect([foreign.status, foreign.body.detail]).toEqual([404, unknown.body.detail])
    expect((await newBrowser().byPasskey(authenticator)).status).toBe(200)
    expect((await victim.client.get('/flows/v1/me')).status).toBe(200)
  })

  test('voids what began before: neither challenge of the person works after it', async () => {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    const credential = newAuthenticator().create(await startedPasskey(member.client))
    expect((await reset(admin, member.userId)).status).toBe(204)
    expect((await browser.first(newAuthenticator().create(firstPasskey))).status).toBe(401)
    expect((await member.client.post(PASSKEYS, { name: 'X', credential })).status).toBeOneOf([400, 401])
    expect(await market.db.owner`select id from identity.passkeys where user_id = ${member.userId}`).toHaveLength(0)
  })

  test('a person with no passkey can be reset too; a service account cannot (409)', async () => {
    const member = await strictMember(market, org)
    expect((await reset(admin, member.userId)).status).toBe(204)
    const account = await admin.post<{ id: string }>('/flows/v1/service-accounts', { name: 'ERP' })
    expect((await reset(admin, account.body.id)).status).toBe(409)
  })
})
