import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties } from '../../testing/awards.ts'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { packagesOf } from '../../testing/packages.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const stage = await consoleStage()
const parties = await awardParties(stage.market)
const buyer = await parties.consumer.member('Buyer')
const rfqIds = [await parties.open(), await parties.open()]

const pathOf = (page: Page) => new URL(page.url()).pathname
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or open' })
const option = (page: Page) => palette(page).getByRole('option')
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true })

test.each([
  [1400, WIDE],
  [390, NARROW],
] as const)(
  'at %p px the palette opens screens, begins what is permitted, and finds records by their number',
  async (_, options) => {
    const { serialNumber } = (await rfqsOf(parties.consumer.administrator.client).read(rfqIds[0] ?? '')).body
    const page = await stage.signIn(buyer, options)
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or open' })
    await field.and(page.locator(':focus')).waitFor()
    await checkScreen(page)
    // A buyer begins RFQs, and neither parts nor factories.
    const beginnings = await option(page).filter({ hasText: 'New' }).allInnerTexts()
    expect(beginnings.map((text) => text.split('\n')[0])).toEqual(['New RFQ', 'New package'])
    await field.fill('order')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await chosen(page).innerText()).toContain('Orders')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen(page).getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await palette(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search or open' }).click()
    await field.fill(serialNumber)
    await option(page).filter({ hasText: serialNumber }).first().waitFor()
    await checkScreen(page)
    await page.keyboard.press('Enter')
    await page.locator('.over').getByText(serialNumber).waitFor()
    expect(pathOf(page)).toBe(`/console/rfqs/${rfqIds[0]}`)
    // Escape gives the focus back to what opened it.
    await page.getByRole('button', { name: 'Search or open' }).click()
    await field.fill('nothing of this name')
    await palette(page).getByText('0 results').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Search or open' }).and(page.locator(':focus')).waitFor()
    await page.context().close()
  },
  60_000,
)

test('an IP owner begins a part from the palette, in the form of the new part', async () => {
  const page = await stage.signIn(await parties.ipOwner.member('IP owner'))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or open' }).fill('new part')
  await option(page).first().click()
  await page.getByRole('dialog', { name: 'New part' }).waitFor()
  await checkScreen(page)
  await page.context().close()
}, 60_000)

test('single keys search, move through the rows and jump, not while one types, and not once they are off', async () => {
  const page = await stage.signIn(buyer)
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { level: 1, name: 'RFQs' }).waitFor()
  const links = page.locator('tbody tr').locator('a')
  await links.nth(1).waitFor()
  for (const [key, at] of [
    ['j', 0],
    ['j', 1],
    ['j', 1],
    ['k', 0],
  ] as const) {
    await page.keyboard.press(key)
    await links.nth(at).and(page.locator(':focus')).waitFor()
  }
  const address = await links.first().getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${address}`)
  await page.goBack()
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('?g')
  expect(await page.getByRole('searchbox').inputValue()).toBe('?g')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard' })
  await help.getByText('Next row').waitFor()
  await checkScreen(page)
  await help.getByLabel('Use single keys').uncheck()
  await help.getByRole('button', { name: 'Close' }).click()
  await help.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'RFQs' }).waitFor()
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await palette(page).waitFor()
  expect(await help.count()).toBe(0)
  await page.context().close()
}, 60_000)

test('a click beside the link of a row opens its record; a filter is a chip that can be removed', async () => {
  const page = await stage.signIn(buyer)
  await page.goto('/console/rfqs?state=OPEN')
  await page.locator('tbody tr').first().getByRole('cell').nth(2).click()
  await page.waitForURL('**/console/rfqs/rfq_*')
  await page.goBack()
  await page.locator('tbody tr').first().waitFor()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await page.waitForURL('**/console/rfqs')
  expect(await page.getByRole('button', { name: 'Clear filter' }).count()).toBe(0)
  await page.context().close()
}, 60_000)

test('the palette finds packages by their title and cases by that in the language of the page', async () => {
  const { client } = parties.consumer.administrator
  await packagesOf(client).create({
    ...{ title: 'Bilge pump overhaul', deliveryRegionCode: 'DK', currency: 'EUR', expireTime: '2031-09-01T00:00:00Z' },
    lines: [{ partId: parties.partId, quantities: [10] }],
  })
  const page = await stage.signIn(buyer, { ...WIDE, locale: 'en-GB' })
  await page.keyboard.press('Control+k')
  const field = page.locator('.palette').getByRole('combobox')
  await field.fill('bilge')
  await option(page).filter({ hasText: 'Packages' }).getByText('Bilge pump overhaul').click()
  await page.getByRole('heading', { level: 1, name: 'Bilge pump overhaul' }).waitFor()
  await page.getByRole('button', { name: 'Deutsch' }).click()
  const { serialNumber } = (await rfqsOf(client).read(rfqIds[1] ?? '')).body
  await page.getByRole('button', { name: 'English' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill(`anfrage ${serialNumber}`)
  await page.getByRole('option').filter({ hasText: 'Vorgänge' }).getByText(`Anfrage ${serialNumber}`).first().click()
  await page.getByRole('heading', { level: 1, name: `Anfrage ${serialNumber}` }).waitFor()
  await checkScreen(page)
  await page.context().close()
}, 60_000)

test('a dialog takes the focus only when it opens, so that early typing stays in its field', async () => {
  const page = await stage.signIn(buyer)
  // Frames that a busy browser paints later.
  await page.evaluate(`(() => {
    const frames = []
    window.requestAnimationFrame = (run) => frames.push(run)
    window.paintAll = () => { for (const run of frames.splice(0)) run(performance.now()) }
  })()`)
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').and(page.locator(':focus')).waitFor()
  const next = dialog.getByLabel('New password')
  await next.focus()
  await page.evaluate('paintAll()')
  await page.keyboard.type('typed early')
  expect([await next.inputValue(), await dialog.getByLabel('Current password').inputValue()]).toEqual([
    'typed early',
    '',
  ])
  // A refusal moves the focus to its field, unless the person has moved on before it is painted.
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await dialog.locator('[aria-invalid=true]').first().waitFor()
  await next.focus()
  await page.evaluate('paintAll()')
  await page.keyboard.type(' and late')
  expect(await next.inputValue()).toBe('typed early and late')
  await page.context().close()
}, 60_000)
