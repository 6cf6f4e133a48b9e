import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkScreen, consoleStage, fillSignIn } from '../../testing/console.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'

const stage = await consoleStage()
const consumer = await stage.market.organization(['CONSUMER'])
const maker = await stage.market.organization(['MANUFACTURER'])
const buyer = await consumer.member('Buyer')
const offering = await maker.member('Manufacturer')

describe('the session', () => {
  test('its tokens are the only thing that is stored, and nothing of it is in the address', async () => {
    const page = await stage.open()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto('/console')
    await page.getByLabel('E-mail address').fill(buyer.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Password', { exact: true }).fill('wrong password 123')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await checkScreen(page)
    await fillSignIn(page, buyer.email)
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
    const stored = (await page.evaluate(`({ ...localStorage })`)) as Record<string, string>
    expect(Object.keys(stored)).toEqual(['marketplace-session'])
    const session = JSON.parse(stored['marketplace-session'] ?? '')
    expect(Object.keys(session).sort()).toEqual(['accessToken', 'email', 'expiresAtMs', 'refreshToken'])
    expect(await page.evaluate(`[sessionStorage.length, document.cookie, location.href]`)).toEqual([
      0,
      '',
      `${stage.market.url}/console`,
    ])
    for (const secret of [session.accessToken, session.refreshToken, encodeURIComponent(TEST_PASSWORD)]) {
      expect(requested.filter((url) => url.includes(secret))).toEqual([])
    }
    await page.getByRole('complementary').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(`localStorage.length`)).toBe(0)
    await page.context().close()
  }, 60_000)

  test('tabs share it, and refresh it one after the other, so that it never ends', async () => {
    const page = await stage.signIn(buyer)
    const tabs = [page, ...(await Promise.all([1, 2, 3].map(() => page.context().newPage())))]
    let [running, most, refreshes] = [0, 0, 0]
    await page.context().route('**/v2.3/oauth/token', async (route) => {
      running += 1
      refreshes += 1
      most = Math.max(most, running)
      const answer = await route.fetch()
      running -= 1
      await route.fulfill({ response: answer })
    })
    for (let round = 0; round < 2; round++) {
      await page.evaluate(`localStorage.setItem('marketplace-session', JSON.stringify(
        { ...JSON.parse(localStorage.getItem('marketplace-session')), expiresAtMs: 0 }))`)
      await Promise.all(tabs.map((tab) => tab.goto('/console')))
      for (const tab of tabs) await tab.getByRole('heading', { name: 'Waiting for you' }).waitFor()
      expect([refreshes > round, most]).toEqual([true, 1])
    }
    await page.context().close()
  }, 60_000)

  test('an impersonation is unmistakable, and belongs to its tab', async () => {
    const admin = maker.administrator.client
    const grant = { userId: offering.userId, actingEmail: 'support@example.com', reason: 'Ticket 4711' }
    const { body } = await admin.post<{ url: string }>('/flows/v1/impersonation-grants', grant)
    const page = await stage.open()
    await page.goto(`/impersonate${new URL(body.url).hash}`)
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('link', { name: 'Open the console' }).click()
    await page
      .getByText(
        /^support@example.com acts as Test \w+\. Every change is recorded\. People, roles, keys, webhook endpoints and mail addresses cannot be changed during this time\.$/,
      )
      .waitFor()
    await checkScreen(page)
    expect(await page.evaluate(`[localStorage.length, sessionStorage.length]`)).toEqual([0, 1])
    await page.context().close()
  }, 60_000)

  test('an impersonation offers nothing whose effect would outlive it', async () => {
    const admin = maker.administrator
    const own = await stage.signIn(admin)
    const grant = { userId: admin.userId, actingEmail: 'support@example.com', reason: 'Ticket 4713' }
    const { body } = await admin.client.post<{ url: string }>('/flows/v1/impersonation-grants', grant)
    const acting = await stage.open()
    await acting.goto(`/impersonate${new URL(body.url).hash}`)
    await acting.getByRole('button', { name: 'Begin' }).click()
    await acting.getByRole('link', { name: 'Open the console' }).click()
    await acting.getByText(/acts as/).waitFor()
    for (const [path, button] of [
      ['/console/organization/mail', 'Add an address'],
      ['/console/webhooks', 'New endpoint'],
      ['/console/organization/service-accounts', 'New service account'],
    ] as const) {
      for (const [page, count] of [
        [own, 1],
        [acting, 0],
      ] as const) {
        await page.goto(path)
        await page.getByRole('table').or(page.locator('.empty')).first().waitFor()
        expect([path, await page.getByRole('button', { name: button }).count()]).toEqual([path, count])
      }
    }
    await Promise.all([own.context().close(), acting.context().close()])
  }, 60_000)

  test('of an impersonation that ends does not go on as the own session of the browser', async () => {
    const admin = maker.administrator
    const own = await stage.signIn(admin)
    const grant = { userId: offering.userId, actingEmail: 'support@example.com', reason: 'Ticket 4712' }
    const { body } = await admin.client.post<{ id: string; url: string }>('/flows/v1/impersonation-grants', grant)
    const tab = await own.context().newPage()
    await tab.goto(`/impersonate${new URL(body.url).hash}`)
    await tab.getByRole('button', { name: 'Begin' }).click()
    await tab.getByRole('link', { name: 'Open the console' }).click()
    await tab.getByText(/acts as/).waitFor()
    await tab.goto('/console/factories')
    await tab.getByRole('button', { name: 'New factory' }).click()
    const form = tab.locator('dialog[aria-label="New factory"]')
    const sent: (string | undefined)[] = []
    const ended = Promise.withResolvers<void>()
    await tab.route('**/flows/v1/factories', async (route) => {
      sent.push(route.request().headers().authorization)
      await ended.promise
      await route.continue()
    })
    await form.locator('button[type=submit]').click()
    await form.locator('button[type=submit][disabled]').waitFor()
    await admin.client.post(`/flows/v1/impersonation-grants/${body.id}/revoke`)
    await tab.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    // The command was on its way; its 401 must not make it begin again as another person.
    ended.resolve()
    await form.locator('button[type=submit]:not([disabled])').waitFor()
    const stored = (await own.evaluate(`localStorage.getItem('marketplace-session')`)) as string
    expect(sent).toHaveLength(1)
    expect(sent).not.toContain(`Bearer ${JSON.parse(stored).accessToken}`)
    await own.context().close()
  }, 60_000)

  const TOKENS = `localStorage.getItem('marketplace-session')`
  const expire = (page: Page) =>
    page.evaluate(`localStorage.setItem('marketplace-session', JSON.stringify(
      { ...JSON.parse(${TOKENS}), accessToken: 'expired', expiresAtMs: 0 }))`)
  const signOut = async (page: Page) => {
    await page.getByRole('complementary').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  const refresh = async (refreshToken: string) => {
    const body = { grant_type: 'refresh_token', refresh_token: refreshToken }
    return (await stage.market.anonymous.post('/v2.3/oauth/token', body)).status
  }

  test('ends with a sign-out, though the access token has expired', async () => {
    const page = await stage.signIn(buyer)
    const { refreshToken } = JSON.parse((await page.evaluate(TOKENS)) as string)
    await expire(page)
    await signOut(page)
    expect(await refresh(refreshToken)).toBe(401)
    await page.context().close()
  }, 60_000)

  test('stays ended while another tab refreshes it, though the sign-out did not reach the marketplace', async () => {
    const page = await stage.signIn(buyer)
    const { refreshToken } = JSON.parse((await page.evaluate(TOKENS)) as string)
    const other = await page.context().newPage()
    await other.goto('/console')
    await other.getByRole('heading', { name: 'Waiting for you' }).waitFor()
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await other.route('**/v2.3/oauth/token', async (route) => {
      const answer = await route.fetch()
      asked.resolve()
      await held.promise
      await route.fulfill({ response: answer })
    })
    await page.route('**/flows/v1/oauth/revoke', (route) => route.abort())
    await expire(page)
    void other.reload().catch(() => undefined)
    await asked.promise
    await signOut(page)
    const revoked = other.waitForResponse('**/flows/v1/oauth/revoke')
    held.resolve()
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await revoked
    expect(await page.evaluate('localStorage.length')).toBe(0)
    expect(await refresh(refreshToken)).toBe(401)
    await page.context().close()
  }, 60_000)
})
