import { describe, expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { addPasskey } from '../../testing/passkeys.ts'
import { entriesOf, patch } from '../../testing/people.ts'
import { openSession } from '../../testing/sessions.ts'

const market = await marketplaceOf([])
const org = await market.organization(['CONSUMER'])

describe('the setting', () => {
  const PATH = '/flows/v1/sign-in-settings'

  test('is read and changed by org:admin alone, and refused without an own passkey', async () => {
    const other = await market.organization(['CONSUMER'])
    const manager = await other.member(['user:manage', 'role:manage'])
    const { client } = other.administrator
    expect([
      (await manager.client.get(PATH)).status,
      (await patch(manager.client, PATH, { secondFactor: true })).status,
    ]).toEqual([403, 403])
    const read = await client.get<{ secondFactor: boolean }>(PATH)
    expect([read.body, read.headers.get('etag')]).toEqual([{ secondFactor: false }, expect.any(String)] as never)
    const refused = await patch(client, PATH, { secondFactor: true })
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      'conflict',
      'You have no passkey. Add one to your own account first.',
    ])
    await addPasskey(market, client)
    expect((await patch(client, PATH, { secondFactor: 'yes' })).status).toBe(400)
    expect((await patch(client, PATH, { secondFactor: true }, { 'if-match': '"other"' })).status).toBe(412)
    const changed = await patch<{ secondFactor: boolean }>(client, PATH, { secondFactor: true })
    expect([changed.status, changed.body]).toEqual([200, { secondFactor: true }] as never)
    expect((await entriesOf(market, other.orgId, 'signInSettings.patch')).at(-1)?.request).toEqual({
      secondFactor: true,
    })
  })

  test('does not count a passkey of a former host', async () => {
    const other = await market.organization(['CONSUMER'])
    const { client, userId } = other.administrator
    await addPasskey(market, client)
    await market.db.owner`update identity.passkeys set rp_id = 'old.example.com' where user_id = ${userId}`
    expect((await patch(client, PATH, { secondFactor: true })).status).toBe(409)
  })

  test('is closed to an impersonation (403)', async () => {
    const act = { grantId: `grant_${crypto.randomUUID()}`, actingEmail: 'support@example.com' }
    const acting = new ApiClient(market.url, (await openSession(market, org.administrator, act)).accessToken)
    expect((await patch(acting, PATH, { secondFactor: false })).status).toBe(403)
  })
})
