import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const stage = await consoleStage()

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const namesIn = (page: Page) => page.locator('tbody td:first-child').allInnerTexts()

test('people are invited until they choose a password, and programs are not people', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const { email, activationToken } = await org.invite()
  await org.administrator.client.post('/flows/v1/service-accounts', { name: 'ERP connector' })
  const page = await stage.signIn(org.administrator)
  // This marketplace sends no mail.
  await page.getByText('Nothing is waiting for you.').waitFor()
  await checkScreen(page)
  expect(await page.getByText('E-mail notifications').count()).toBe(0)
  await page.goto('/console/organization')
  await rowOf(page, email).getByText('Invited', { exact: true }).waitFor()
  await rowOf(page, org.administrator.email).getByText('Active', { exact: true }).waitFor()
  expect(await namesIn(page)).toHaveLength(2)
  expect(await page.getByText('ERP connector').count()).toBe(0)
  await checkWidths(page)
  const answer = await stage.market.anonymous.post('/flows/v1/activations', {
    token: activationToken,
    password: TEST_PASSWORD,
  })
  expect(answer.status).toBe(204)
  await rowOf(page, email).getByText('Active', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Service accounts' }).click()
  await rowOf(page, 'ERP connector').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await rowOf(page, 'ERP connector').getByText('Inactive').waitFor()
  await checkWidths(page)
  await rowOf(page, 'ERP connector').getByRole('button', { name: 'Activate', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click()
  await rowOf(page, 'ERP connector').getByText('Active', { exact: true }).waitFor()
  await page.context().close()
}, 60_000)

test('an impersonation is granted with a reason and an end, used once, listed and revoked', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const buyer = await org.member('Buyer')
  const page = await stage.signIn(org.administrator)
  const dialog = page.getByRole('dialog')
  const verb = 'Impersonation link'
  await page.goto('/console/organization')
  await rowOf(page, buyer.email).getByRole('button', { name: verb }).waitFor()
  // Not for oneself.
  expect(await rowOf(page, org.administrator.email).getByRole('button', { name: verb }).count()).toBe(0)
  await rowOf(page, buyer.email).getByRole('button', { name: verb }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: verb }).click()
  for (const label of ['E-mail address of the acting person', 'Reason']) {
    await dialog.getByLabel(label).and(page.locator('[aria-invalid=true]')).waitFor()
  }
  await dialog.getByLabel('E-mail address of the acting person').fill('support@example.com')
  await dialog.getByLabel('Reason').fill('Ticket 4711')
  await dialog.getByLabel('Ends').fill('2020-01-01T10:00')
  await dialog.getByRole('button', { name: verb }).click()
  await dialog.getByLabel('Ends').and(page.locator('[aria-invalid=true]')).waitFor()
  const soon = new Date(Date.now() + 2 * 60 * 60 * 1000)
  await dialog.getByLabel('Ends').fill(
    await page.evaluate(`(() => {
    const at = new Date(${soon.getTime()})
    return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16)
  })()`),
  )
  await checkWidths(page)
  await dialog.getByRole('button', { name: verb }).click()
  const url = await dialog.getByRole('code').innerText()
  expect(url).toMatch(/^http:\/\/\S+\/impersonate#/)
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  expect(await page.content()).not.toContain(new URL(url).hash.slice(1))

  await page.getByRole('link', { name: 'Impersonation' }).click()
  await rowOf(page, 'Ticket 4711').getByText('Link not opened').waitFor()
  await rowOf(page, 'Ticket 4711').getByText('support@example.com').waitFor()
  await checkWidths(page)
  const support = await stage.open()
  await support.goto(`/impersonate${new URL(url).hash}`)
  const redeem = '**/flows/v1/impersonation-grants/redeem'
  await support.route(redeem, (route) => route.abort(), { times: 1 })
  await support.getByRole('button', { name: 'Begin' }).click()
  await support.getByText('Please try again in a moment.').waitFor()
  await support.route(redeem, (route) => route.fulfill({ status: 502, body: '<p>Bad gateway' }), { times: 1 })
  await support.getByRole('button', { name: 'Begin' }).click()
  await support.getByText('Please try again in a moment.').waitFor()
  await support.getByRole('button', { name: 'Begin' }).click()
  await support.getByRole('link', { name: 'Open the console' }).click()
  await support.getByText(/^support@example.com acts as/).waitFor()
  await rowOf(page, 'Ticket 4711').getByText('In use').waitFor()
  await rowOf(page, 'Ticket 4711').getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await rowOf(page, 'Ticket 4711').getByText('Revoked').waitFor()
  expect(await rowOf(page, 'Ticket 4711').getByRole('button').count()).toBe(0)
  await support.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await support.context().close()
  await page.context().close()
}, 60_000)

test('the audit log is filtered by action, person and day', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const { client } = org.administrator
  const other = await org.member(['org:admin', 'user:manage', 'role:manage'])
  // The role of the other administrator is the third.
  await client.post('/flows/v1/roles', { name: 'First', permissions: [] })
  await other.client.post('/flows/v1/roles', { name: 'Second', permissions: [] })
  await client.post('/flows/v1/business-units', { name: 'Third' })
  const page = await stage.signIn(org.administrator)
  await page.goto('/console/organization/audit-log')
  const procedures = () => page.locator('tbody td:first-child small').allInnerTexts()
  const shown = (count: number, procedure: string) =>
    until(async () => Bun.deepEquals(await procedures(), Array(count).fill(procedure)))
  await page.getByText('businessUnit.create').waitFor()
  await checkWidths(page)
  await page.getByLabel('What').selectOption({ label: 'Role: create' })
  await shown(3, 'role.create')

  const who = page.getByRole('combobox', { name: 'Who' })
  await who.fill('nobody-of-that-name')
  await page.getByText('Choose a person from the suggestions.').waitFor()
  expect(await procedures()).toEqual(['role.create', 'role.create', 'role.create'])
  await who.fill(other.email)
  await shown(1, 'role.create')
  expect(await page.locator('tbody').innerText()).toContain(other.email)
  await page.getByText('Choose a person from the suggestions.').waitFor({ state: 'detached' })
  await checkWidths(page)
  await who.fill('')
  await shown(3, 'role.create')

  const day = (ms: number) => {
    const at = new Date(Date.now() + ms)
    return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
  }
  const DAY_MS = 24 * 60 * 60 * 1000
  await page.getByLabel('From').fill(day(2 * DAY_MS))
  await page.getByText('Nothing here yet.').waitFor()
  await page.getByLabel('From').fill(day(-DAY_MS))
  await shown(3, 'role.create')
  await page.getByLabel('Until').fill(day(-2 * DAY_MS))
  await page.getByText('Nothing here yet.').waitFor()
  await page.getByLabel('Until').fill(day(DAY_MS))
  await shown(3, 'role.create')
  await page.context().close()
}, 60_000)
