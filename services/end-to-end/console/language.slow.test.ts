import { expect, test } from 'bun:test'
import { checkScreen, consoleStage, fillSignIn, NARROW, WIDE } from '../../testing/console.ts'

const stage = await consoleStage()
const org = await stage.market.organization(['CONSUMER', 'DISTRIBUTOR'])

test('the language is chosen before the sign-in and on every page, and stays for later visits', async () => {
  const page = await stage.open()
  await page.goto('/console')
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'Deutsch' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
  await checkScreen(page)
  expect(await page.evaluate('document.documentElement.lang')).toBe('de')
  await page.close()

  const later = await page.context().newPage()
  await later.goto('/console')
  await later.getByRole('button', { name: 'English' }).click()
  await later.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await fillSignIn(later, org.administrator.email)
  await later.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  await later.getByRole('button', { name: 'Deutsch' }).click()
  await later.getByRole('heading', { level: 1, name: 'Was auf Sie wartet' }).waitFor()
  await later.goto('/console/organization/roles')
  // The names of system roles and of dates are also German.
  await later.getByRole('row').filter({ hasText: 'Einkauf' }).waitFor()
  const roles = await later.getByRole('row').locator('strong').allInnerTexts()
  expect(roles).toEqual(['Administration', 'Einkauf', 'Vertriebspartner', 'Nur lesen'])
  await later.goto('/console/organization/audit-log')
  await later.getByRole('row').filter({ hasText: 'anmelden' }).first().waitFor()
  const german = new RegExp(`\\d{2}\\.\\d{2}\\.${new Date().getFullYear()}`)
  expect(await later.getByRole('row').nth(1).innerText()).toMatch(german)
  for (const { viewport } of [NARROW, WIDE]) {
    await later.setViewportSize(viewport)
    await checkScreen(later)
  }
  await page.context().close()
}, 60_000)

const HOMES: [role: string, own: string, others: string[]][] = [
  [
    'Viewer',
    "Your roles don't cover any of your organization's work, so there is no screen for it.",
    ['Buyer: requests offers, awards and tracks orders', 'Distributor: releases factories to its customers'],
  ],
  [
    'Distributor',
    'You release factories to the organizations that are engaged through yours. Open',
    ['Buyer: requests offers, awards and tracks orders'],
  ],
]

test.each(HOMES)(
  'the start page of a %s says what the role allows, and what other roles do',
  async (role, own, others) => {
    const page = await stage.signIn(await org.member(role))
    const standing = page.getByRole('region', { name: 'What your roles allow' })
    expect(await standing.getByRole('paragraph').allInnerTexts()).toEqual([
      own,
      'An administrator of your organization can give you one of these roles:',
    ])
    expect(await standing.getByRole('listitem').allInnerTexts()).toEqual(others)
    for (const { viewport } of [NARROW, WIDE]) {
      await page.setViewportSize(viewport)
      await checkScreen(page)
    }
    await page.context().close()
  },
  60_000,
)

test('the start page of a buyer has work instead', async () => {
  const page = await stage.signIn(await org.member('Buyer'))
  await page.getByRole('region', { name: 'Inbox' }).waitFor()
  expect(await page.getByRole('region', { name: 'What your roles allow' }).count()).toBe(0)
  await page.context().close()
}, 60_000)
