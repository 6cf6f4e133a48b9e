import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties, insertAgreement } from '../../testing/awards.ts'
import {
  act,
  checkScreen,
  comparedAs,
  consoleStage,
  goTo,
  NARROW,
  send,
  stateOf,
  summaryIn,
  WIDE,
} from '../../testing/console.ts'

const stage = await consoleStage()
const { market } = stage
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, seller, distributor, open, offer } = parties
const buyer = await consumer.member('Buyer')
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

async function bothWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

test('a seller proposes an agreement, the manufacturer accepts and ends it; others have no such screen', async () => {
  const [trading, works] = await Promise.all([
    market.organization(['SELLER'], { name: 'Maas Parts Trading' }),
    market.organization(['MANUFACTURER'], { name: 'Vestland Additive' }),
  ])
  const selling = await stage.signIn(await trading.member('Seller'))
  await goTo(selling, 'Sales agreements')
  await selling.getByText('No matching agreements.').waitFor()
  await selling.getByRole('button', { name: 'Propose an agreement' }).click()
  const dialog = selling.getByRole('dialog')
  const propose = dialog.getByRole('button', { name: 'Propose an agreement' })
  await dialog.getByLabel('Id of the manufacturer').fill(works.orgId)
  await dialog.getByLabel('Fee of the seller in percent').fill('250')
  await propose.click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Must be a percentage from 0 to 100, with at most two decimals.').waitFor()
  await dialog.getByLabel('Fee of the seller in percent').fill('2,5')
  await propose.click()
  // The names are shown, because an id says little.
  await dialog.getByText('Vestland Additive').waitFor()
  expect(await summaryIn(selling)).toContain('Seller Maas Parts Trading Fee 2.5%')
  await bothWidths(selling)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  const row = selling.getByRole('row').filter({ hasText: 'Vestland Additive' })
  await row.getByText('Proposed', { exact: true }).waitFor()
  expect(await row.getByRole('button').allInnerTexts()).toEqual(['Withdraw'])

  const making = await stage.signIn(await works.member('Manufacturer'))
  await goTo(making, 'Sales agreements')
  const theirs = making.getByRole('row').filter({ hasText: 'Maas Parts Trading' })
  await theirs.getByText('makes the parts').waitFor()
  expect(await theirs.getByRole('button').allInnerTexts()).toEqual(['Accept', 'Decline'])
  await theirs.getByRole('button', { name: 'Accept' }).click()
  await making
    .getByRole('dialog')
    .getByText('Maas Parts Trading may then sell what you make, for 2.5% of quantity × unit price.')
    .waitFor()
  await send(making, 'Accept')
  await theirs.getByText('Active', { exact: true }).waitFor()
  await bothWidths(making)
  await row.getByText('Active', { exact: true }).waitFor()
  await act(making, 'End')
  await theirs.getByText('Ended', { exact: true }).waitFor()
  expect(await theirs.getByRole('button').count()).toBe(0)
  // The partner of an earlier agreement is chosen by its name.
  await making.getByRole('button', { name: 'Propose an agreement' }).click()
  await making.getByRole('dialog').getByRole('option', { name: 'Maas Parts Trading' }).waitFor({ state: 'attached' })
  await Promise.all([selling, making].map((page) => page.context().close()))

  const other = await stage.signIn(buyer)
  await other.getByRole('link', { name: 'RFQs' }).waitFor()
  expect(await other.getByRole('link', { name: 'Sales agreements' }).count()).toBe(0)
  await other.context().close()
}, 60_000)

test('a seller is chosen with its fee in the comparison and the award, and the order shows it to those who read it', async () => {
  const { name } = (await consumer.administrator.client.get<{ name: string }>(`/v1/orgs/${seller.orgId}`)).body
  const half = await market.organization(['SELLER'], { name: 'Half Trading' })
  await insertAgreement(market.db.owner, maker.orgId, half.orgId, '3')
  const rfqId = await open()
  await offer(rfqId, maker)
  await offer(rfqId, rival)
  const page = await stage.signIn(buyer)
  await page.goto(`/console/rfqs/${rfqId}/comparison`)
  await comparedAs(page, 'Landed total').first().waitFor()
  expect(await comparedAs(page, 'Seller fee').count()).toBe(0)
  await page.getByLabel('Seller').selectOption('Half Trading (3%)')
  await comparedAs(page, 'Seller fee').first().waitFor()
  expect((await comparedAs(page, 'Seller fee').allInnerTexts()).map(oneLine).toSorted()).toEqual([
    'no agreement',
    '€143.25',
  ])
  await bothWidths(page)

  await page.getByRole('button', { name: 'Award' }).click()
  const dialog = page.getByRole('dialog')
  const inputs = dialog.locator('input[inputmode=decimal]')
  expect(await dialog.getByLabel('Seller').inputValue()).toBe(half.orgId)
  for (const row of [0, 1]) await inputs.nth(row).fill('10')
  await dialog.getByText('Half Trading has no sales agreement with').waitFor()
  expect(await dialog.getByRole('button', { name: 'Award' }).isDisabled()).toBe(true)
  await checkScreen(page)
  await dialog.getByLabel('Seller').selectOption(`${name} (2.5%)`)
  await dialog.getByText('Together 20 of 50 pieces at most').waitFor()
  // A fee that changes after it was reviewed is refused at its field.
  const setFee = (percent: number) => market.db.owner`
    update sourcing.sales_agreements set fee_percent = ${percent} where seller_org_id = ${seller.orgId}`
  await dialog.getByRole('button', { name: 'Award' }).click()
  await dialog.getByText('€47.76').waitFor()
  await setFee(4)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('The fee of this seller is now 4.00 %.').waitFor()
  await setFee(2.5)
  await dialog.getByRole('option', { name: `${name} (2.5%)` }).waitFor({ state: 'attached' })
  // Twice ten pieces at 95.50 with tooling and shipping, and 2.5 percent of the pieces.
  await send(page, 'Award', {}, async (summary) => {
    for (const text of [
      `Seller ${name}`,
      'Seller fee €23.88',
      'Total €4,409.80',
      'Total with the seller fee €4,457.56',
    ])
      expect(summary).toContain(text)
    await checkScreen(page)
  })
  await stateOf(page, 'Awarded')
  const [order] = await parties.ordersOfRfq(rfqId)
  expect(order).toMatchObject({ sellerOrgId: seller.orgId, sellerFee: { amount: '23.88', currency: 'EUR' } })
  await page.goto(`/console/orders/${order?.id}`)
  const facts = page.getByRole('region', { name: 'Order', exact: true })
  await facts.getByText('€23.88').waitFor()
  await facts.getByText('€2,228.78').waitFor()
  await bothWidths(page)
  const owners = await stage.signIn(await ipOwner.member('IP owner'))
  await owners.goto(`/console/orders/${order?.id}`)
  await owners.getByRole('region', { name: 'Order', exact: true }).getByText('€2,204.90').waitFor()
  expect(await owners.getByText('Seller fee').count()).toBe(0)
  await Promise.all([page, owners].map((each) => each.context().close()))
}, 60_000)

test('a distributor lists the RFQs of its consumers with their terms, and opens none', async () => {
  const rfqId = await open({ requirements: 'Heat treated.', incoterm: 'DAP' })
  const { body } = await consumer.administrator.client.get<{ serialNumber: string }>(`/v1/rfqs/${rfqId}`)
  const page = await stage.signIn(await distributor.member('Distributor'))
  await goTo(page, "Customers' RFQs")
  const row = page.getByRole('row').filter({ hasText: body.serialNumber })
  await row.getByText('Open', { exact: true }).waitFor()
  expect(await row.getByRole('link').count()).toBe(0)
  await bothWidths(page)
  await row.getByRole('button', { name: 'Terms' }).click()
  for (const text of ['Heat treated.', 'DAP', 'Denmark']) await page.getByRole('dialog').getByText(text).waitFor()
  await checkScreen(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('State').selectOption('Cancelled')
  await page.getByText('No matching RFQs.').waitFor()
  await page.context().close()
}, 60_000)
