import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardsOf } from '../../testing/awards.ts'
import { casesOf } from '../../testing/cases.ts'
import { act, checkScreen, consoleStage, goTo, NARROW, WIDE } from '../../testing/console.ts'
import { documentsOf } from '../../testing/documents.ts'
import { offerParties } from '../../testing/offers.ts'

const stage = await consoleStage()
const { consumer, maker, rival, open, submittedOffer } = await offerParties(stage.market)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
/** The messages name the other organizations. */
const MESSAGES = /^Messages/
const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true })

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

async function write(page: Page, text: string): Promise<void> {
  await region(page, MESSAGES).getByLabel('Message', { exact: true }).fill(text)
  await region(page, MESSAGES).getByRole('button', { name: 'Send' }).click()
  await region(page, MESSAGES).getByRole('listitem').filter({ hasText: text }).waitFor()
}

test('buyer and manufacturer talk beside the RFQ and the order, and the inbox leads to what is unread', async () => {
  const rfqId = await open(both)
  const making = casesOf(maker.administrator.client)
  const caseId = (await making.list(`?rfqId=${rfqId}`)).body.items[0]?.id as string
  const buyer = await stage.signIn(await consumer.member('Buyer'))
  await buyer.goto(`/console/rfqs/${rfqId}`)
  // Each conversation has its own manufacturer.
  const entries = region(buyer, 'Conversations').getByRole('listitem')
  await entries.nth(1).waitFor()
  expect(await entries.count()).toBe(2)
  await entries.filter({ hasText: 'Request for quotation' }).last().getByRole('button', { name: 'Show' }).click()
  await region(buyer, MESSAGES).waitFor()
  await checkWidths(buyer)
  await buyer.goto(`/console/cases/${caseId}`)
  await region(buyer, MESSAGES).getByRole('button', { name: 'Send' }).click()
  await region(buyer, MESSAGES)
    .getByLabel('Message', { exact: true })
    .and(buyer.locator('[aria-invalid=true]'))
    .waitFor()
  await write(buyer, 'Can you start <b>in May</b>?')
  expect(await region(buyer, MESSAGES).getByLabel('Message', { exact: true }).inputValue()).toBe('')

  const printer = await stage.signIn(await maker.member('Manufacturer'))
  const item = region(printer, 'Inbox').getByRole('listitem').filter({ hasText: 'Unread messages' })
  await item.waitFor()
  await checkWidths(printer)
  await goTo(printer, 'Cases')
  await printer.getByRole('row').filter({ hasText: '1 new message' }).waitFor()
  await checkWidths(printer)
  await printer.goto('/console')
  await item.getByRole('link').click()
  await region(printer, MESSAGES).getByText('Can you start <b>in May</b>?').waitFor()
  await printer.getByText('1 new message').waitFor({ state: 'detached' })
  expect((await making.read(caseId)).body.unreadCount).toBe(0)
  await printer.goto('/console')
  await item.waitFor({ state: 'detached' })

  const document = await documentsOf(stage.market, maker.administrator.client).add('cases', caseId, {
    name: 'plan.stl',
  })
  await printer.goto(`/console/rfqs/${rfqId}`)
  await region(printer, MESSAGES).getByText('Attach documents').click()
  await region(printer, MESSAGES).getByLabel(document.name).check()
  await checkWidths(printer)
  await write(printer, 'Yes, see the plan.')
  await region(buyer, MESSAGES).getByRole('link', { name: 'plan.stl' }).waitFor()
  await buyer.getByText('1 new message').waitFor({ state: 'detached' })

  const { body } = await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), {
    quantity: 10,
  })
  await buyer.goto(`/console/orders/${body.orders[0]?.id}`)
  await region(buyer, MESSAGES).getByText('Yes, see the plan.').waitFor()
  await write(buyer, 'Thanks, you have the order.')
  await checkWidths(buyer)
  await printer.goto(`/console/orders/${body.orders[0]?.id}`)
  await region(printer, MESSAGES).getByText('Thanks, you have the order.').waitFor()
  expect(stage.errors).toEqual([])
  for (const page of [buyer, printer]) await page.context().close()
}, 90_000)

test('a task gets a person of its organization, and another organization approves or rejects an expense', async () => {
  const rfqId = await open({ manufacturerIds: [maker.orgId] })
  const buying = casesOf(consumer.administrator.client)
  const caseId = (await buying.list(`?rfqId=${rfqId}`)).body.items.find(({ orgId }) => orgId === maker.orgId)
    ?.id as string
  await buying.tasks(caseId).create({ title: 'Send the plan', assigneeOrgId: maker.orgId })
  const user = await maker.member('Manufacturer')
  const printer = await stage.signIn(user)
  const { body: person } = await user.client.get<{ givenName: string; familyName: string }>(`/v1/users/${user.userId}`)
  const name = `${person.givenName} ${person.familyName}`
  await region(printer, 'Inbox').getByRole('link', { name: 'Send the plan' }).click()
  await region(printer, 'Tasks').getByRole('button', { name: 'Assign' }).click()
  const dialog = printer.getByRole('dialog')
  await dialog.getByLabel('Person').locator(`option[value="${user.userId}"]`).waitFor({ state: 'attached' })
  await dialog.getByLabel('Person').selectOption(user.userId)
  await checkWidths(printer)
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await region(printer, 'Tasks').getByText(name).waitFor()
  await act(printer, 'Add an expense', { 'What it was spent on': 'CT scan', Amount: '480' })
  const expense = (page: Page) => region(page, 'Expenses').getByRole('listitem').filter({ hasText: 'CT scan' })
  await expense(printer).getByText('Proposed').waitFor()
  expect(await expense(printer).getByRole('button').allInnerTexts()).toEqual(['Remove'])

  const buyer = await stage.signIn(await consumer.member('Buyer'))
  const item = region(buyer, 'Inbox').getByRole('listitem').filter({ hasText: 'Expense to decide' })
  await item.getByRole('link', { name: 'CT scan' }).first().click()
  await region(buyer, 'Tasks').getByText('Send the plan').waitFor()
  expect(await buyer.getByText(name).count()).toBe(0)
  await act(buyer, 'Reject', { Reason: 'Part of the price.' })
  await expense(printer).getByText('Part of the price.').waitFor()
  await checkWidths(buyer)
  await casesOf(maker.administrator.client)
    .expenses(caseId)
    .create({ description: 'Freight', amount: { amount: '12.5', currency: 'EUR' }, incurredDate: '2026-04-29' })
  await act(buyer, 'Approve')
  const freight = region(printer, 'Expenses').getByRole('listitem').filter({ hasText: 'Freight' })
  await freight.getByText('Approved').waitFor()
  expect(await freight.getByRole('button').count()).toBe(0)
  await checkWidths(printer)
  for (const page of [buyer, printer]) await page.context().close()
}, 90_000)

test('a person without the permission on cases sees no conversation, and its inbox is empty', async () => {
  const rfqId = await open(both)
  await casesOf(maker.administrator.client).write(
    (await casesOf(maker.administrator.client).list(`?rfqId=${rfqId}`)).body.items[0]?.id as string,
    'Hello',
  )
  const page = await stage.signIn(await consumer.member(['app:consumer']))
  await region(page, 'Inbox').getByText('Nothing is waiting for you.').waitFor()
  await page.goto(`/console/rfqs/${rfqId}`)
  await region(page, 'Questions').waitFor()
  expect(await region(page, 'Conversations').count()).toBe(0)
  await page.context().close()
}, 60_000)
