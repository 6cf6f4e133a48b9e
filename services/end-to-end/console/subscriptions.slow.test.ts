import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { act, checkScreen, consoleStage, goTo, NARROW, press, send, stateOf, WIDE } from '../../testing/console.ts'
import { publishedPart } from '../../testing/rfqs.ts'

const stage = await consoleStage()

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Presses a button of a row and sends the dialog that it opens. */
async function sendIn(page: Page, text: string, verb: string, fields?: Record<string, string>): Promise<void> {
  await rowOf(page, text).getByRole('button', { name: verb, exact: true }).click()
  await send(page, verb, fields)
}

test('a consumer requests a subscription on the part, the IP owner accepts it, and the consumer ends it', async () => {
  const [ipOwner, consumer] = await Promise.all([
    stage.market.organization(['IP_OWNER'], { name: 'Skagen Pumps' }),
    stage.market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' }),
  ])
  const title = 'Impeller <img src=x onerror="document.title=1">'
  const partId = await publishedPart(ipOwner.administrator.client, { title })
  const [owner, buyer] = await Promise.all([
    stage.signIn(await ipOwner.member('IP owner')),
    stage.signIn(await consumer.member('Buyer')),
  ])
  await owner.goto(`/console/parts/${partId}`)
  await press(owner, 'Edit')
  await owner.getByRole('dialog').getByText("Your organization's data").click()
  await owner.getByRole('dialog').getByLabel('Needs a subscription').check()
  await checkWidths(owner)
  await send(owner, 'Edit')
  await owner.getByRole('definition').filter({ hasText: 'Yes' }).waitFor()

  await buyer.goto(`/console/parts/${partId}`)
  await stateOf(buyer, 'Published')
  await act(buyer, 'Request a subscription', { Ends: '2031-05-29' })
  await checkWidths(buyer)
  await goTo(buyer, 'Subscriptions')
  await rowOf(buyer, 'Impeller').getByText('Requested').waitFor()
  await checkWidths(buyer)

  await goTo(owner, 'Subscriptions')
  await rowOf(owner, 'Nordhavn Shipping').getByText('Requested').waitFor()
  expect(await rowOf(owner, 'Nordhavn Shipping').getByRole('button').allInnerTexts()).toEqual(['Accept', 'Decline'])
  await sendIn(owner, 'Nordhavn Shipping', 'Accept')
  await rowOf(owner, 'Nordhavn Shipping').getByText('Active').waitFor()
  await checkWidths(owner)
  await rowOf(buyer, 'Impeller').getByText('Active').waitFor()
  expect(await rowOf(buyer, 'Impeller').getByRole('button').allInnerTexts()).toEqual(['End'])
  await sendIn(buyer, 'Impeller', 'End')
  await rowOf(buyer, 'Impeller').getByText('Ended').waitFor()
  for (const page of [owner, buyer]) await page.context().close()
}, 90_000)

test('an IP owner grants a subscription and declines a request, and a consumer requests all parts', async () => {
  const [ipOwner, consumer] = await Promise.all([
    stage.market.organization(['IP_OWNER'], { name: 'Esbjerg Valves' }),
    stage.market.organization(['CONSUMER'], { name: 'Kiel Ferries' }),
  ])
  await publishedPart(ipOwner.administrator.client, { title: 'Secret valve', internal: true })
  const [owner, buyer] = await Promise.all([
    stage.signIn(await ipOwner.member('IP owner')),
    stage.signIn(await consumer.member('Buyer')),
  ])
  await goTo(owner, 'Subscriptions')
  await owner.getByText('No matching subscriptions.').waitFor()
  await owner.getByRole('button', { name: 'Grant a subscription' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('Part').selectOption('Secret valve')
  await dialog.getByRole('button', { name: 'Grant a subscription' }).click()
  await dialog.getByLabel('Id of the consumer').and(owner.locator('[aria-invalid=true]')).fill(consumer.orgId)
  await checkWidths(owner)
  await send(owner, 'Grant a subscription')
  await rowOf(owner, 'Secret valve').getByText('Active').waitFor()

  // The internal part is among the parts to which the consumer subscribes.
  await buyer.goto('/console/parts')
  await buyer.getByLabel('Show').selectOption('Our subscriptions')
  await buyer.getByRole('link', { name: 'Secret valve' }).waitFor()
  await checkWidths(buyer)
  await buyer.getByRole('searchbox').fill('no such part')
  await buyer.getByText('Your organization has no subscription to a part by name.').waitFor()

  await goTo(buyer, 'Subscriptions')
  await rowOf(buyer, 'Esbjerg Valves').getByRole('link', { name: 'Secret valve' }).waitFor()
  // The owner is known from the subscription, and another one is named by its id.
  await buyer.getByRole('button', { name: 'Request a subscription' }).click()
  const owners = buyer.getByRole('dialog').getByLabel('IP owner')
  await owners.selectOption('Another organization, by its id')
  await buyer.getByRole('dialog').getByRole('button', { name: 'Request a subscription' }).click()
  await buyer.getByLabel('Id of the IP owner').and(buyer.locator('[aria-invalid=true]')).waitFor()
  await checkWidths(buyer)
  await owners.first().selectOption('Esbjerg Valves')
  await send(buyer, 'Request a subscription')
  await rowOf(buyer, 'All parts').getByText('Requested').waitFor()
  expect(await rowOf(buyer, 'All parts').getByRole('button').allInnerTexts()).toEqual(['Withdraw'])
  await owner.reload()
  await sendIn(owner, 'All parts', 'Decline', { Reason: 'Only partners.' })
  await rowOf(buyer, 'Only partners.').getByText('Declined').waitFor()
  await buyer.getByLabel('State').selectOption('Active')
  await rowOf(buyer, 'All parts').waitFor({ state: 'detached' })
  await checkWidths(buyer)
  for (const page of [owner, buyer]) await page.context().close()
}, 90_000)

test('the account shows the id of the organization, which is copied', async () => {
  const org = await stage.market.organization(['CONSUMER'], { name: 'Kiel Ferries' })
  const page = await stage.signIn(org.administrator)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/console/account')
  const panel = page.getByRole('region', { name: 'Organization' })
  await panel.getByText(org.orgId).waitFor()
  await checkWidths(page)
  await panel.getByRole('button', { name: 'Copy' }).click()
  await panel.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(org.orgId)
  await page.context().close()
}, 60_000)

test('a person without the permissions has no screen of subscriptions', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const viewer = await stage.signIn(await org.member('Viewer'))
  expect(await viewer.getByRole('navigation').getByRole('link', { name: 'Subscriptions' }).count()).toBe(0)
  await viewer.context().close()
}, 60_000)
