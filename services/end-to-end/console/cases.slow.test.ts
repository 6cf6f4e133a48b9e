import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { checkScreen, consoleStage, goTo, NARROW, stateOf, WIDE } from '../../testing/console.ts'
import { createFactory, PRINTS_STEEL } from '../../testing/factories.ts'
import { orderParties } from '../../testing/orders.ts'
import { until } from '../../testing/until.ts'

const stage = await consoleStage()

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const itemOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

/** Presses a button and sends the dialog that it opens. */
async function send(page: Page, within: Page | ReturnType<typeof rowOf>, verb: string): Promise<void> {
  await within.getByRole('button', { name: verb, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: verb, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('a case about an order has tasks and expenses, which its other party sees, and is closed, archived and reopened', async () => {
  const parties = await orderParties(stage.market)
  const orderId = await parties.place()
  const page = await stage.signIn(await parties.consumer.member('Buyer'))
  const dialog = page.getByRole('dialog')
  await goTo(page, 'Cases')
  await page.getByText('No matching cases.').waitFor()
  await page.getByRole('button', { name: 'New case' }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Title').fill('Porosity <img src=x onerror="document.title=1">')
  await dialog.getByLabel('Description').fill('Pores of up to 0.4 mm.')
  const about = dialog.getByLabel('About')
  await about.locator(`option[value="orderId ${orderId}"]`).waitFor({ state: 'attached' })
  // A search leaves what is chosen, and finds an order by its number.
  const search = dialog.getByRole('searchbox')
  const found = () => about.locator('option').count()
  await search.fill('nothing of this name')
  await until(async () => (await found()) === 1)
  const { serialNumber } = (await parties.consumer.administrator.client.get<Order>(`/v1/orders/${orderId}`)).body
  await search.fill(serialNumber)
  await about.locator(`option[value="orderId ${orderId}"]`).waitFor({ state: 'attached' })
  await about.selectOption(`orderId ${orderId}`)
  await search.fill('nothing of this name')
  await until(async () => (await found()) === 2)
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'New case' }).click()
  await stateOf(page, 'Open')
  expect(await page.getByRole('link', { name: 'Order', exact: true }).getAttribute('href')).toBe(
    `/console/orders/${orderId}`,
  )

  // The dialog says what is edited.
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog', { name: 'Edit: Porosity' }).getByLabel('Description').fill('Pores of up to 0.5 mm.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Pores of up to 0.5 mm.').waitFor()
  await page.getByRole('button', { name: 'Add a task' }).click()
  await dialog.getByRole('button', { name: 'Add a task' }).click()
  await dialog.getByLabel('Title').and(page.locator('[aria-invalid=true]')).waitFor()
  await dialog.getByLabel('Title').fill('Send the CT scan')
  await dialog.getByLabel('Due').fill('2031-05-29')
  await dialog.getByLabel('Assigned to').selectOption(parties.maker.orgId)
  await dialog.getByRole('button', { name: 'Add a task' }).click()
  await itemOf(page, 'Send the CT scan').getByText('due 29 May 2031').waitFor()
  await page.getByRole('button', { name: 'Add an expense' }).click()
  await dialog.getByLabel('What it was spent on').fill('CT scan')
  await dialog.getByLabel('Amount').fill('12,5')
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Add an expense' }).click()
  await dialog.waitFor({ state: 'detached' })
  await itemOf(page, 'CT scan').getByText('€12.50').waitFor()
  await checkWidths(page)

  const other = await stage.signIn(await parties.maker.member('Manufacturer'))
  await goTo(other, 'Cases')
  await other.getByRole('link', { name: /^Porosity/ }).click()
  await other.getByText('€12.50').waitFor()
  // Only its maker removes a task; its assignee names a person, and every party can complete it.
  expect(await itemOf(other, 'Send the CT scan').getByRole('button').allInnerTexts()).toEqual(['Assign', 'Done'])
  // The present assignee stays an option even if the list does not contain them.
  const colleague = await parties.maker.member('Manufacturer')
  const task = itemOf(other, 'Send the CT scan')
  await task.getByRole('button', { name: 'Assign' }).click()
  const person = other.getByRole('dialog').getByLabel('Person')
  await person.locator(`option[value="${colleague.userId}"]`).waitFor({ state: 'attached' })
  await person.selectOption(colleague.userId)
  await other.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
  const name = `Test ${colleague.email.split('@')[0]}`
  await task.getByText(name).waitFor()
  await other.route(
    ({ pathname }) => pathname === '/v1/users',
    (route) => route.fulfill({ json: { items: [], page: 1, pageSize: 50, hasMore: false } }),
  )
  await other.reload()
  await task.getByRole('button', { name: 'Assign' }).click()
  await person.locator('option', { hasText: name }).waitFor({ state: 'attached' })
  await other.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
  await other.getByRole('dialog').waitFor({ state: 'detached' })
  await task.getByText(name).waitFor()
  await send(other, itemOf(other, 'Send the CT scan'), 'Done')
  await itemOf(page, 'Send the CT scan').getByText('Done', { exact: true }).first().waitFor()

  const main = page.getByRole('main') as unknown as ReturnType<typeof rowOf>
  await send(page, itemOf(page, 'CT scan').filter({ hasText: '€12.50' }), 'Remove')
  await itemOf(page, 'CT scan').getByText('€12.50').waitFor({ state: 'detached' })
  await send(page, main, 'Close')
  await stateOf(page, 'Closed')
  expect(await page.getByRole('button', { name: 'Add a task' }).count()).toBe(0)
  // Only the organization that closed it opens it again.
  await stateOf(other, 'Closed')
  expect(await other.getByRole('button', { name: 'Reopen' }).count()).toBe(0)
  await send(page, main, 'Archive')
  await stateOf(page, 'Archived')
  await goTo(page, 'Cases')
  await page.getByLabel('State').selectOption('Open')
  await page.getByText('No matching cases.').waitFor()
  await page.getByLabel('State').selectOption('Archived')
  await rowOf(page, 'Porosity')
    .getByRole('link', { name: /^Porosity/ })
    .click()
  await send(page, main, 'Restore')
  await stateOf(page, 'Closed')
  await send(page, main, 'Reopen')
  await stateOf(page, 'Open')
  await checkWidths(page)
  await other.context().close()
  await page.context().close()
}, 90_000)

test('a quality case of an order has the parties that are chosen by name, and all if none is', async () => {
  const parties = await orderParties(stage.market)
  const orderId = await parties.place()
  const { consumer, maker, seller, ipOwner, distributor } = parties
  const everyone = [consumer, maker, seller, ipOwner, distributor].map(({ orgId }) => orgId).toSorted()
  const user = await maker.member('Manufacturer')
  const page = await stage.signIn(user)
  const dialog = page.getByRole('dialog')
  const create = async (title: string, choose: () => Promise<void>) => {
    await page.goto('/console/cases')
    await page.getByRole('button', { name: 'New case' }).click()
    await dialog.getByLabel('Title').fill(title)
    await dialog.locator(`option[value="orderId ${orderId}"]`).waitFor({ state: 'attached' })
    await dialog.getByLabel('About').selectOption(`orderId ${orderId}`)
    await choose()
    await dialog.getByRole('button', { name: 'New case' }).click()
    await stateOf(page, 'Open')
    const id = new URL(page.url()).pathname.split('/').at(-1)
    return (await user.client.get<{ partyOrgIds: string[] }>(`/flows/v1/cases/${id}`)).body.partyOrgIds.toSorted()
  }
  const chosen = await create('Burrs', async () => {
    await dialog.getByText('If you choose none, all of them can see the case.').waitFor()
    await dialog.getByLabel('(Consumer)').check()
    await checkWidths(page)
  })
  expect(chosen).toEqual([consumer.orgId, maker.orgId].toSorted())
  const all = await create('Scratches', async () => void (await dialog.getByLabel('(Consumer)').waitFor()))
  expect(all).toEqual(everyone)
  // Only a quality case has chosen parties.
  const sourcing = await create('Schedule', async () => {
    await dialog.getByLabel('(Consumer)').check()
    await dialog.getByLabel('Kind').selectOption('Sourcing')
    await dialog.getByLabel('(Consumer)').waitFor({ state: 'detached' })
  })
  expect(sourcing).toEqual(everyone)
  await page.context().close()
}, 60_000)

test('a person who may only read cases changes none, and one without the permission has no screen', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const reader = await stage.signIn(await org.member(['app:consumer', 'case:read']))
  await goTo(reader, 'Cases')
  await reader.getByText('No matching cases.').waitFor()
  expect(await reader.getByRole('button', { name: 'New case' }).count()).toBe(0)
  await reader.context().close()
  const viewer = await stage.signIn(await org.member('Viewer'))
  await viewer.goto('/console/cases')
  await viewer.getByRole('alert').getByText("You don't have access to this").waitFor()
  expect(await viewer.getByRole('navigation').getByRole('link', { name: 'Cases' }).count()).toBe(0)
  await viewer.context().close()
}, 60_000)

test('a distributor releases a factory to an organization that is engaged through it, and withdraws it', async () => {
  const distributor = await stage.market.organization(['DISTRIBUTOR'])
  const engaged = { engagement: 'DISTRIBUTOR', distributorOrgId: distributor.orgId } as const
  const customer = await stage.market.organization(['CONSUMER'], { name: 'Fjord Pumps', ...engaged })
  const maker = await stage.market.organization(['MANUFACTURER'], { name: 'Bergen Additive' })
  const name = `Works ${crypto.randomUUID().slice(0, 8)}`
  const factory = await createFactory(maker.administrator.client, { name, capabilities: [PRINTS_STEEL] })
  await createFactory(maker.administrator.client, { name: 'Oslo Works' })
  const page = await stage.signIn(await distributor.member('Distributor'))
  const dialog = page.getByRole('dialog')
  const available = async () =>
    (
      await customer.administrator.client.get<{ items: { id: string }[] }>('/v1/factories?view=CONSUMER')
    ).body.items.map(({ id }) => id)
  await goTo(page, 'Releases')
  await rowOf(page, 'Oslo Works').waitFor()
  await page.getByRole('searchbox').fill(name)
  await rowOf(page, 'Oslo Works').waitFor({ state: 'detached' })
  await rowOf(page, name).getByRole('button', { name: 'Release' }).click()
  await dialog.getByLabel('Organization').waitFor()
  expect(await dialog.getByLabel('Organization').locator('option').allInnerTexts()).toEqual(['Fjord Pumps'])
  await checkWidths(page)
  expect(await available()).toEqual([])
  await dialog.getByRole('button', { name: 'Release' }).click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, name).getByText('Fjord Pumps').waitFor()
  expect(await available()).toEqual([factory.id])
  await page.getByLabel('Released to organization').selectOption({ label: 'Fjord Pumps' })
  await rowOf(page, name).getByText('Fjord Pumps').waitFor()
  await checkWidths(page)
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Releases' }).click()
  await rowOf(page, name).getByRole('button', { name: 'Withdraw' }).click()
  await dialog.getByText(`Fjord Pumps can no longer source from ${name}.`).waitFor()
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, name).getByText('Fjord Pumps').waitFor({ state: 'detached' })
  expect(await available()).toEqual([])
  await page.getByLabel('Released to organization').selectOption({ label: 'Fjord Pumps' })
  await page.getByText('No matching factories.').waitFor()
  await page.context().close()

  const alone = await stage.market.organization(['DISTRIBUTOR'])
  const other = await stage.signIn(await alone.member('Distributor'))
  await goTo(other, 'Releases')
  await rowOf(other, name).getByRole('button', { name: 'Release' }).click()
  await other.getByText('No organizations are engaged through yours yet.').waitFor()
  await other.context().close()
}, 60_000)
