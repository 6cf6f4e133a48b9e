import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { act, checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { freePort } from '../../testing/free-port.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { virtualAuthenticator } from '../../testing/virtual-authenticator.ts'

// Browsers accept passkeys of a host name alone.
const port = freePort()
const origin = `http://localhost:${port}`
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: origin })
const settled = (page: Page) => page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()

async function openAt(page: Page, path: string, email: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const signOut = async (page: Page, options: object) => {
  if (options === NARROW) await page.getByText('Menu', { exact: true }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

test.each([
  ['1400 px', WIDE],
  ['390 px', NARROW],
] as const)(
  'a passkey is added, renamed, used alone and as the second factor, and lost, at %s',
  async (_, options) => {
    const org = await stage.market.organization(['CONSUMER'])
    const member = await org.member('Buyer')
    const page = await stage.open(options)
    const authenticator = await virtualAuthenticator(page)
    await openAt(page, '/console', org.administrator.email)
    await checkScreen(page)
    await typePassword(page)
    await settled(page)

    // Requiring a passkey needs one of one's own.
    await page.goto(`${origin}/console/organization/sign-in`)
    await page.getByText('The password alone is enough to sign in.').waitFor()
    const tab = await page.getByRole('link', { name: 'Second factor', exact: true }).boundingBox()
    expect((tab?.x ?? Number.NaN) + (tab?.width ?? Number.NaN)).toBeLessThanOrEqual(options.viewport.width)
    await checkScreen(page)
    await page.getByRole('button', { name: 'Require a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Require a passkey' }).click()
    await dialog.getByText('You have no passkey yet.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await page.goto(`${origin}/console/account`)
    await page.getByText('No passkeys yet.').waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByLabel('Name').fill('Work laptop')
    await dialog.getByLabel('Current password').fill('not the password')
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await dialog.getByText('This is not your password.').waitFor()
    await dialog.getByLabel('Current password').fill(TEST_PASSWORD)
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('main').getByText('Work laptop').waitFor()
    await checkScreen(page)
    await page.getByRole('main').getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill('Laptop of Ada')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('main').getByText('Laptop of Ada').waitFor()
    expect(await authenticator.credentials()).toHaveLength(1)

    await page.goto(`${origin}/console/organization/sign-in`)
    await act(page, 'Require a passkey')
    await page.getByText('A passkey is required').waitFor()
    await checkScreen(page)

    // The passkey alone is two factors.
    await signOut(page, options)
    await openAt(page, '/console', org.administrator.email)
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await settled(page)

    // The last passkey stays while one is required.
    await page.goto(`${origin}/console/account`)
    await page.getByRole('main').getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('Your organization requires a passkey.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await signOut(page, options)
    await openAt(page, '/console', org.administrator.email)
    await typePassword(page)
    await page.getByText('Your organization also requires a passkey: confirm').waitFor()
    await page.getByText('Lost your passkey?').waitFor()
    expect(await page.getByText('Forgotten your password?').count()).toBe(0)
    await checkScreen(page)
    // The person gives up, then confirms.
    await authenticator.confirms(false)
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.getByText('The browser did not finish.').waitFor()
    await authenticator.confirms(true)
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await settled(page)

    // A person without a passkey creates one after the password.
    const other = await stage.open(options)
    const phone = await virtualAuthenticator(other)
    await openAt(other, '/console', member.email)
    await typePassword(other)
    await other.getByText('you have none yet').waitFor()
    await checkScreen(other)
    await other.getByRole('button', { name: 'Create a passkey' }).click()
    await settled(other)
    await signOut(other, options)

    // The phone is lost: an administrator resets the passkeys, and the person registers anew.
    await phone.clear()
    await page.goto(`${origin}/console/organization?q=${member.email}`)
    await page.getByText(member.email).first().waitFor()
    const row = page.getByRole('row').filter({ hasText: member.email })
    await row.getByRole('button', { name: 'Reset passkeys' }).click()
    await dialog.getByRole('heading', { name: `(${member.email})` }).waitFor()
    await dialog.getByRole('button', { name: 'Reset passkeys' }).click()
    await dialog.waitFor({ state: 'detached' })
    await openAt(other, '/console', member.email)
    await typePassword(other)
    await other.getByText('you have none yet').waitFor()
    await other.getByRole('button', { name: 'Create a passkey' }).click()
    await settled(other)
  },
  90_000,
)

test('a session that began with a password asks for the passkey when its token ends, and keeps the page', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const page = await stage.open()
  await virtualAuthenticator(page)
  await openAt(page, '/console/account', org.administrator.email)
  await typePassword(page)
  await act(page, 'Add a passkey', { Name: 'Laptop', 'Current password': TEST_PASSWORD })
  await page.goto(`${origin}/console/organization/sign-in`)
  await act(page, 'Require a passkey')
  await page.getByText('A passkey is required').waitFor()
  await page.evaluate(`(() => {
    const key = 'marketplace-session'
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), expiresAtMs: 0 }))
  })()`)
  await page.reload()
  await page.getByText('Your session has ended').waitFor()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('A passkey is required').waitFor()
})
