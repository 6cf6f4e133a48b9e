import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { act, checkScreen, consoleStage, NARROW, type Stage, send, stateOf, WIDE } from '../../testing/console.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const stage: Stage = await consoleStage()
const { market } = stage
const { consumer, ipOwner, maker, seller, distributor, place } = await orderParties(market)
const [buyer, manufacturer] = await Promise.all([consumer.member('Buyer'), maker.member('Manufacturer')])

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const dialogOf = (page: Page) => page.getByRole('dialog')
const goToOrder = (page: Page, id: string) => page.goto(`/console/orders/${id}`)

const SUMS = ['Ordered', 'Shipped', 'Accepted', 'Rejected', 'Replacements', 'Left to ship']

/** Waits until the page shows these pieces. */
const expectSums = (page: Page, ...sums: number[]) =>
  page
    .locator('.sums')
    .filter({ hasText: new RegExp(`^${SUMS.map((label, at) => `${label}\\s*${sums[at]}`).join('\\s*')}$`) })
    .waitFor()

/** The emphasized buttons of the order: of its head and its change requests. */
const primaryOf = async (page: Page) =>
  (await page.locator('.title button.primary, .offer button.primary').allInnerTexts()).map(oneLine)

async function receive(page: Page, accepted: string, reason?: string): Promise<void> {
  await panel(page, 'Shipments').getByRole('button', { name: 'Receive', exact: true }).first().click()
  await dialogOf(page).getByLabel('Accepted pieces').fill(accepted)
  if (reason) await dialogOf(page).getByLabel('Reason').fill(reason)
  await dialogOf(page).getByRole('button', { name: 'Receive' }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
}

test('two shipments, a rejection, a remake and a settlement: both sides see what is missing, and by whom', async () => {
  const id = await place({ state: 'IN_PRODUCTION' })
  const [made, bought] = [await stage.signIn(manufacturer, WIDE), await stage.signIn(buyer, NARROW)]
  const { serialNumber } = (await ordersOf(maker.administrator.client).read(id)).body
  await goToOrder(made, id)
  await expectSums(made, 10, 0, 0, 0, 0, 10)
  await panel(made, 'Where it stands').getByText('Ship 10 pieces.', { exact: true }).waitFor()
  expect(await primaryOf(made)).toEqual(['Ship'])
  await checkScreen(made)
  await made.getByRole('button', { name: 'Ship', exact: true }).click()
  const quantity = dialogOf(made).getByLabel('Number of pieces')
  expect(await quantity.inputValue()).toBe('10')
  await quantity.fill('11')
  await dialogOf(made).getByText('Enter a whole number from 1 to 10.').first().waitFor()
  expect(await dialogOf(made).getByRole('button', { name: 'Ship' }).isDisabled()).toBe(true)
  await send(made, 'Ship', { 'Number of pieces': '6', Carrier: 'Nordic Freight', 'Tracking number': 'NF-1' })
  await panel(made, 'Shipments').getByText('6 pieces').waitFor()
  expect(oneLine(await panel(made, 'Shipments').innerText())).toContain('6 pieces Nordic Freight, NF-1')
  await expectSums(made, 10, 6, 0, 0, 0, 4)
  expect(await panel(made, 'Shipments').getByRole('button', { name: 'Receive' }).count()).toBe(0)

  await goToOrder(bought, id)
  await panel(bought, 'Where it stands').getByText('Receive 6 pieces.', { exact: true }).waitFor()
  await checkScreen(bought)
  await panel(bought, 'Shipments').getByRole('button', { name: 'Receive' }).click()
  const accepted = dialogOf(bought).getByLabel('Accepted pieces')
  expect(await accepted.inputValue()).toBe('6')
  expect(await dialogOf(bought).getByLabel('Reason').count()).toBe(0)
  await accepted.fill('7')
  expect(await dialogOf(bought).getByRole('button', { name: 'Receive' }).isDisabled()).toBe(true)
  await accepted.fill('5')
  await dialogOf(bought).getByText('Rejected or missing: 1').waitFor()
  await dialogOf(bought).getByRole('button', { name: 'Receive' }).click()
  await dialogOf(bought).getByLabel('Reason').and(bought.locator('[aria-invalid=true]')).waitFor()
  await checkScreen(bought)
  await dialogOf(bought).getByLabel('Reason').fill('One bore is out of tolerance.')
  await dialogOf(bought).getByRole('button', { name: 'Receive' }).click()
  await panel(bought, 'Shipments').getByText('5 accepted, 1 rejected: One bore is out of tolerance.').waitFor()
  // The rejection leads to its case, from the shipment and from the list.
  await panel(bought, 'Shipments').getByText('1 rejected', { exact: true }).waitFor()
  const toCase =
    (await panel(bought, 'Shipments').getByRole('link', { name: 'Quality case' }).getAttribute('href')) ?? ''
  await bought.goto('/console/orders')
  const chip = bought.getByRole('row').filter({ hasText: serialNumber }).getByRole('link', { name: '1 rejected' })
  await chip.waitFor()
  await checkScreen(bought)
  await chip.click()
  await bought.getByRole('heading', { level: 1, name: `Order ${serialNumber}: 1 of 6 pieces rejected` }).waitFor()
  expect(new URL(bought.url()).pathname).toBe(toCase)
  await goToOrder(bought, id)
  await expectSums(bought, 10, 6, 5, 1, 0, 4)
  // A photo is added with two taps.
  await bought.locator('input[capture]').setInputFiles({
    name: 'bore.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70]),
  })
  await bought.getByText('Photo added to the documents.').waitFor()
  await panel(bought, 'Documents').getByText('bore.jpg').waitFor()

  await made.getByRole('button', { name: 'Ship', exact: true }).click()
  expect(await quantity.inputValue()).toBe('4')
  await send(made, 'Ship')
  await stateOf(made, 'Shipped')
  await stateOf(bought, 'Shipped')
  await bought.getByRole('button', { name: 'Everything accepted' }).click()
  await dialogOf(bought).getByText('You record that 4 pieces have arrived').waitFor()
  await send(bought, 'Everything accepted')
  await stateOf(bought, 'Delivered')
  await expectSums(bought, 10, 10, 9, 1, 0, 0)
  // The rejection is open, so the order is not simply completed.
  expect(await primaryOf(bought)).toEqual(['Complete with settlement'])
  expect(await bought.getByRole('button', { name: 'Complete the order' }).count()).toBe(0)

  await act(made, 'Make again')
  await panel(bought, 'Where it stands').getByText('proposes to make 1 piece again. You decide.').waitFor()
  await act(bought, 'Accept the remake')
  await stateOf(bought, 'In production')
  await expectSums(bought, 10, 10, 9, 1, 1, 1)
  await stateOf(made, 'In production')
  await act(made, 'Ship')
  await stateOf(bought, 'Shipped')
  await receive(bought, '0', 'The bore is out of tolerance again.')
  await stateOf(bought, 'Delivered')
  await checkScreen(bought)
  await bought.getByRole('button', { name: 'Complete with settlement' }).click()
  // Nine pieces at 95.50, with tooling and shipping.
  await dialogOf(bought).getByText('€2,109.40').waitFor()
  await checkScreen(bought)
  await send(bought, 'Complete with settlement')
  await stateOf(bought, 'Completed')
  await panel(bought, 'Order').getByText('€2,109.40').waitFor()
  await bought.locator('.timeline').getByText('Settled total: €2,109.40').waitFor()
  const timeline = (await bought.locator('.timeline > li').allInnerTexts()).map(oneLine).join('\n')
  for (const text of [
    'Completed Settled total: €2,109.40',
    '1 piece received: 0 accepted, 1 rejected The bore is out of tolerance again.',
    'In production 1 piece to be made again',
    'Proposed to make 1 piece again',
    '4 pieces received: 4 accepted, 0 rejected',
    '6 pieces shipped Nordic Freight, NF-1',
  ])
    expect(timeline).toContain(text)
  await Promise.all([made, bought].map((page) => page.context().close()))
}, 90_000)

test('in German each side reads its own step in the second person, and the case of a rejection has a German title', async () => {
  const id = await place({ state: 'IN_PRODUCTION' })
  const inGerman = async (page: Page) => {
    await page.evaluate("localStorage.setItem('marketplace-language', 'de')")
    await goToOrder(page, id)
    return panel(page, 'Stand')
  }
  const [made, bought] = [await stage.signIn(manufacturer, WIDE), await stage.signIn(buyer, NARROW)]
  await (await inGerman(made)).getByText('Liefern Sie 10 Stück.', { exact: true }).waitFor()
  await (await inGerman(bought)).getByText('muss 10 Stück liefern.').waitFor()
  const sent = await shipmentsOf(maker.administrator.client).create(id, { quantity: 10 })
  await panel(bought, 'Stand').getByText('Melden Sie den Eingang von 10 Stück.', { exact: true }).waitFor()
  const receipt = { acceptedQuantity: 8, rejectedQuantity: 2, reason: 'Zu klein.' }
  await shipmentsOf(consumer.administrator.client).receive(id, sent.body.id, receipt)
  await panel(made, 'Stand').getByText('2 Stück abgelehnt: Sie können sie nachfertigen, oder').waitFor()
  await panel(bought, 'Stand').getByText('oder Sie schließen den Auftrag mit Abrechnung ab.').waitFor()
  await panel(bought, 'Stand').getByText('Ersatzstücke').waitFor()
  await checkScreen(bought)
  await panel(bought, 'Lieferungen').getByRole('link', { name: 'Qualitätsvorgang' }).click()
  await bought.getByRole('heading', { level: 1, name: '2 von 10 Stück abgelehnt' }).waitFor()
  await checkScreen(bought)
  await Promise.all([made, bought].map((page) => page.context().close()))
}, 60_000)

test('a change is proposed with old and new values and the total, and accepted; only its two sides see it', async () => {
  const id = await place({ state: 'CONFIRMED' })
  const [made, bought] = [await stage.signIn(manufacturer, NARROW), await stage.signIn(buyer, WIDE)]
  await goToOrder(bought, id)
  await panel(bought, 'Change requests').getByText('No changes have been proposed.').waitFor()
  await bought.getByRole('button', { name: 'Propose a change' }).click()
  await dialogOf(bought).getByLabel('Reason').fill('The pump needs fewer.')
  await dialogOf(bought).getByRole('button', { name: 'Propose a change' }).click()
  await dialogOf(bought).getByText('Nothing is different from the order.').waitFor()
  await send(bought, 'Propose a change', { Quantity: '8', 'Unit price, EUR': '99.5' })
  await panel(bought, 'Change requests').getByRole('button', { name: 'Withdraw' }).waitFor()
  expect(await panel(bought, 'Change requests').getByRole('button').allInnerTexts()).toEqual(['Withdraw'])
  await checkScreen(bought)

  await goToOrder(made, id)
  const rows = panel(made, 'Change requests').getByRole('row')
  await rows.nth(2).waitFor()
  expect((await rows.allInnerTexts()).map(oneLine)).toEqual([
    'Quantity 10 8',
    'Unit price €95.50 €99.50',
    'Total €2,204.90 €2,045.90',
  ])
  // What waits for the maker is emphasized, and nothing else.
  expect(await primaryOf(made)).toEqual(['Accept'])
  await checkScreen(made)
  await act(made, 'Accept')
  await panel(made, 'Order').getByText('€2,045.90').waitFor()
  await expectSums(made, 8, 0, 0, 0, 0, 8)
  await act(made, 'Propose a change', { Quantity: '6', Reason: 'The powder is short.' })
  await act(bought, 'Decline', { Reason: 'We need eight.' })
  const folded = panel(bought, 'Change requests').getByText('Decided (2)')
  await folded.click()
  await panel(bought, 'Change requests').getByText('The powder is short. Answer: We need eight.').waitFor()
  await checkScreen(bought)

  // A request to cancel an overdue order says when silence cancels it.
  await market.db.owner`update sourcing.orders set due_date = current_date - 40 where id = ${id}`
  await bought.reload()
  await bought.locator('.over').getByText('late').waitFor()
  await bought.getByRole('button', { name: 'Propose to cancel' }).click()
  await dialogOf(bought)
    .getByText(/does not answer, the order is cancelled without a fee on/)
    .waitFor()
  await send(bought, 'Propose to cancel', { Reason: 'Too late.' })
  await panel(made, 'Change requests')
    .getByText(/the order is cancelled without a fee on/)
    .waitFor()

  for (const [organization, role] of [
    [seller, 'Seller'],
    [distributor, 'Distributor'],
    [ipOwner, 'IP owner'],
  ] as const) {
    const page = await stage.signIn(await organization.member(role))
    await goToOrder(page, id)
    await panel(page, 'Where it stands').waitFor()
    await page.locator('.timeline > li').first().waitFor()
    expect(await panel(page, 'Change requests').count()).toBe(0)
    expect(await page.getByText('Change proposed').count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Propose/ }).count()).toBe(0)
    await page.context().close()
  }
  await act(made, 'Accept')
  await stateOf(bought, 'Cancelled')
  await checkScreen(bought)
  await Promise.all([made, bought].map((page) => page.context().close()))
}, 90_000)

test('a declined order: the RFQ says what is missing, a maker reinstates its offer, and the pieces are placed again', async () => {
  const parties = await awardParties(market)
  const { open, offer, rival } = parties
  const { award } = awardsOf(parties.consumer.administrator.client)
  const rfqId = await open()
  const [first, second] = [await offer(rfqId, parties.maker), await offer(rfqId, rival)]
  const lost = await offer(rfqId, rival, { reference: 'Q-77' })
  await award(rfqId, { awards: [first, second].map((offerId) => ({ offerId, quantity: 10 })) })
  const [order] = await parties.ordersOfRfq(rfqId)
  const reason = 'The machine is broken.'
  await ordersOf(parties.maker.administrator.client).act(order?.id ?? '', 'decline', { reason })

  const page = await stage.signIn(await parties.consumer.member('Buyer'), NARROW)
  await page.getByRole('listitem').filter({ hasText: 'Missing quantity' }).getByRole('link').click()
  await panel(page, 'Missing pieces').getByText('10 pieces are missing.').waitFor()
  await panel(page, 'Orders').getByText(reason).waitFor()
  await checkScreen(page)

  const offering = await stage.signIn(await rival.member('Manufacturer'), WIDE)
  // The inbox leads to the offer, and the consumer to what is missing.
  await offering.getByRole('listitem').filter({ hasText: 'Offer asked for again' }).getByRole('link').click()
  await offering.getByText('You are asked whether your offer still stands.').waitFor()
  await checkScreen(offering)
  await act(offering, 'Reinstate')
  await offering.getByText('You are asked whether').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Place again' }).click()
  const reinstated = dialogOf(page).getByLabel(/Q-77/).first()
  await reinstated.waitFor()
  for (const input of await dialogOf(page)
    .getByLabel(/for 10 pieces/)
    .all())
    await input.fill('0')
  await reinstated.fill('12')
  await dialogOf(page).getByText('Together 12 of 10 pieces at most').waitFor()
  await dialogOf(page).getByText('only 10 are missing').waitFor()
  expect(await dialogOf(page).getByRole('button', { name: 'Place again' }).isDisabled()).toBe(true)
  await checkScreen(page)
  await reinstated.fill('10')
  await dialogOf(page).getByRole('button', { name: 'Place again' }).click()
  await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  await panel(page, 'Missing pieces').waitFor({ state: 'detached' })
  const orders = await parties.ordersOfRfq(rfqId)
  expect(orders.map(({ state, quantity, offerId }) => [state, quantity, offerId])).toEqual([
    ['DECLINED', 10, first],
    ['PLACED', 10, second],
    ['PLACED', 10, lost],
  ])

  // Without a living order the RFQ is closed again, and says why.
  const other = await open()
  await award(other, { awards: [{ offerId: await offer(other, parties.maker), quantity: 10 }] })
  const [only] = await parties.ordersOfRfq(other)
  await ordersOf(parties.maker.administrator.client).act(only?.id ?? '', 'decline', { reason })
  await page.goto(`/console/rfqs/${other}`)
  await page.getByText('Every order of the award was declined or cancelled').waitFor()
  await panel(page, 'Orders').getByText(reason).waitFor()
  await checkScreen(page)
  await Promise.all([page, offering].map((each) => each.context().close()))
}, 90_000)
