import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { act, checkScreen, consoleStage, NARROW, send, WIDE } from '../../testing/console.ts'
import { rfqParties } from '../../testing/rfqs.ts'

const stage = await consoleStage()

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

const panel = (page: Page) => page.getByRole('region', { name: 'Questions' })
const itemOf = (page: Page, text: string) => panel(page).getByRole('listitem').filter({ hasText: text })

test('a manufacturer asks, the buyer answers to all in words of its own, and another manufacturer reads these alone', async () => {
  const { consumer, maker, rival, open } = await rfqParties(stage.market)
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
  const [asker, other, buyer] = await Promise.all([
    stage.signIn(await maker.member('Manufacturer')),
    stage.signIn(await rival.member('Manufacturer')),
    stage.signIn(await consumer.member('Buyer')),
  ])
  for (const page of [asker, other, buyer]) await page.goto(`/console/rfqs/${rfqId}`)
  for (const page of [asker, buyer]) await panel(page).getByText('Nothing here yet.').waitFor()
  expect(await panel(asker).getByRole('button').allInnerTexts()).toEqual(['Ask a question'])
  expect(await panel(buyer).getByRole('button').allInnerTexts()).toEqual(['Clarify'])

  await panel(asker).getByRole('button', { name: 'Ask a question' }).click()
  await checkWidths(asker)
  const own = 'May our <b>EOS M400</b> be used?'
  await send(asker, 'Ask a question', { Question: own })
  await itemOf(asker, own).getByText('Unanswered').waitFor()
  await act(asker, 'Ask a question', { Question: 'Which colour?' })
  expect(await panel(asker).getByRole('button').allInnerTexts()).toEqual(['Ask a question'])

  await itemOf(buyer, own).getByRole('button', { name: 'Answer' }).click()
  const dialog = buyer.getByRole('dialog')
  const published = dialog.getByLabel('The question as the others read it')
  expect(await published.inputValue()).toBe('')
  await dialog.getByLabel('Who reads the answer').selectOption('Only the manufacturer that asked')
  await published.waitFor({ state: 'hidden' })
  await dialog.getByLabel('Who reads the answer').selectOption('All invited manufacturers')
  await dialog.getByLabel('Answer to the question').fill('Yes.')
  await dialog.getByRole('button', { name: 'Answer', exact: true }).click()
  await published.and(buyer.locator('[aria-invalid=true]')).fill('May large machines be used?')
  await checkWidths(buyer)
  await dialog.getByRole('button', { name: 'Answer', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await itemOf(buyer, own).getByText('Published as: May large machines be used?').waitFor()
  await itemOf(buyer, 'Which colour?').getByRole('button', { name: 'Dismiss' }).click()
  await send(buyer, 'Dismiss')
  await act(buyer, 'Clarify', { Clarification: 'Bores may be reamed.' })
  await checkWidths(buyer)

  await itemOf(asker, own).getByText('Answered', { exact: true }).waitFor()
  await itemOf(asker, 'Which colour?').getByText('Dismissed', { exact: true }).waitFor()
  await itemOf(other, 'May large machines be used?').getByText('Yes.').waitFor()
  await itemOf(other, 'Bores may be reamed.').waitFor()
  const read = await panel(other).innerText()
  for (const secret of ['EOS', 'colour']) expect(read).not.toContain(secret)
  await checkWidths(other)
  for (const page of [asker, other, buyer]) await page.context().close()
}, 90_000)

test('a person without the permission reads the questions, and asks and answers none', async () => {
  const { consumer, maker, open } = await rfqParties(stage.market)
  const rfqId = await open()
  await maker.administrator.client.post(`/flows/v1/rfqs/${rfqId}/questions`, { text: 'Which powder?' })
  for (const org of [consumer, maker]) {
    const page = await stage.signIn(await org.member('Viewer'))
    await page.goto(`/console/rfqs/${rfqId}`)
    await itemOf(page, 'Which powder?').waitFor()
    expect(await panel(page).getByRole('button').count()).toBe(0)
    await page.context().close()
  }
}, 60_000)
