import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { addPasskey, PASSKEYS, requireSecondFactor, SignInBrowser } from '../../testing/passkeys.ts'

const market = await marketplaceOf([])
const org = await market.organization(['CONSUMER'])

test('smoke', async () => {
  const member = await org.member([])
  const { authenticator, passkey } = await addPasskey(market, member.client)
  expect(passkey.name).toBe('Work laptop')
  const a = await new SignInBrowser(market).byPasskey(authenticator)
  expect([a.status, a.body.email]).toEqual([200, member.email])
  expect((await member.client.get(PASSKEYS)).body).toMatchObject({
    items: [{ id: passkey.id, name: 'Work laptop' }],
    hasMore: false,
  })
  await requireSecondFactor(market, org.administrator.client)
  const b = new SignInBrowser(market)
  const step = await b.password(member.email)
  expect(step.text).toContain('allowCredentials')
  const done = await b.finish(authenticator.get(step.body.passkey as never))
  expect(done.status).toBe(200)
})
