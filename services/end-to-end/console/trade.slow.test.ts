import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { insertAgreement } from '../../testing/awards.ts'
import {
  act,
  checkScreen,
  comparedAs,
  consoleStage,
  goTo,
  NARROW,
  type Stage,
  send,
  stateOf,
  summaryIn,
  WIDE,
} from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import type { TestUser } from '../../testing/marketplace.ts'
import { publishedPart } from '../../testing/rfqs.ts'

const stage = await consoleStage()

interface Parties {
  designer: TestUser
  buyer: TestUser
  printer: TestUser
  welder: TestUser
  seller: TestUser
}

async function parties({ market }: Stage, title: string, works: readonly [string, string]): Promise<Parties> {
  const [ipOwner, consumer, additive, welding, trading] = await Promise.all([
    market.organization(['IP_OWNER'], { name: 'Skagen Pumps' }),
    market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' }),
    market.organization(['MANUFACTURER'], { name: 'Vestland Additive' }),
    market.organization(['MANUFACTURER'], { name: 'Ruhr Präzision' }),
    market.organization(['SELLER'], { name: 'Maas Parts Trading' }),
  ])
  await publishedPart(ipOwner.administrator.client, { title, materialId: '316l', processId: 'pbf-metal' })
  await createFactory(additive.administrator.client, { name: works[0] })
  await createFactory(welding.administrator.client, { name: works[1] })
  for (const { orgId } of [additive, welding]) await insertAgreement(market.db.owner, orgId, trading.orgId, '2.50')
  const [designer, buyer, printer, welder, seller] = await Promise.all([
    ipOwner.member('IP owner'),
    consumer.member([
      'app:consumer',
      'rfq:create',
      'rfq:publish',
      'rfq:invite',
      'rfq:award',
      'order:update',
      'order:receive',
      'assignment:read',
    ]),
    additive.member('Manufacturer'),
    welding.member('Manufacturer'),
    trading.member('Seller'),
  ])
  return { designer, buyer, printer, welder, seller }
}

/** The prices of two breaks, of which the second is forgotten at first. */
interface Prices {
  tooling: string
  unit: readonly [string, string]
  days: readonly [string, string]
}

async function fillOffer(page: Page, { tooling, unit, days }: Prices): Promise<void> {
  for (const row of [0, 1] as const) {
    await page.getByLabel('Unit price, EUR').nth(row).fill(unit[row])
    await page.getByLabel('Lead time in days').nth(row).fill(days[row])
  }
  await page.getByLabel('Tooling, EUR').fill(tooling)
  await page.getByLabel('Shipping, EUR').fill('80')
}

async function submitOffer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit offer' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
}

const cellsOf = async (page: Page, title: string) =>
  (await comparedAs(page, title).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())

test.concurrent.each([
  [1400, WIDE, 'Impeller, cooling water pump', ['Bergen Works', 'Essen Works']],
  [390, NARROW, 'Impeller <img src=x onerror="document.title=1">', ['Fjord Works', 'Ruhr Works']],
] as const)(
  'at %p px a trade goes from the request to the accepted goods',
  async (width, options, title, works) => {
    const people = await parties(stage, title, works)
    const [buyer, printer, welder] = await Promise.all([
      stage.signIn(people.buyer, options),
      stage.signIn(people.printer, options),
      stage.signIn(people.welder, options),
    ])

    await checkScreen(buyer)
    await goTo(buyer, 'RFQs')
    // The empty list offers it too.
    await buyer.getByRole('link', { name: 'New RFQ' }).first().click()
    await buyer.getByRole('searchbox').fill(title)
    const option = buyer.getByRole('option', { name: title })
    await option.waitFor({ state: 'attached' })
    await buyer.getByLabel('Part', { exact: true }).selectOption(await option.innerText())
    await checkScreen(buyer)
    await buyer.getByLabel('Quantities').fill('10, 50')
    await buyer.getByLabel('Incoterm').selectOption('DAP')
    await buyer.getByLabel('Sealed until it closes').check()
    await buyer.getByRole('button', { name: 'Save draft' }).click()
    // The marketplace names what is missing, at its field.
    await buyer.getByLabel('Delivery to').and(buyer.locator('[aria-invalid=true]')).selectOption('Denmark')
    await buyer.getByRole('button', { name: 'Save draft' }).click()
    await stateOf(buyer, 'Draft')
    for (const factory of works) {
      const match = buyer.getByRole('row').filter({ hasText: factory })
      await match.getByRole('button', { name: 'Invite' }).click()
      await buyer.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
      await match.getByText('Invited').waitFor()
    }
    await checkScreen(buyer)
    await act(buyer, 'Publish')
    await stateOf(buyer, 'Open')
    const rfq = new URL(buyer.url()).pathname

    await printer.getByRole('link', { name: title }).click()
    await checkScreen(printer)
    const forgotten = { tooling: '250', unit: ['131.5', ''], days: ['21', '28'] } as const
    await fillOffer(printer, forgotten)
    await printer.getByRole('button', { name: 'Submit offer' }).click()
    const missing = printer.getByLabel('Unit price, EUR').nth(1)
    await missing.and(printer.locator('[aria-invalid=true]')).fill('112')
    expect(await printer.getByLabel('Tooling, EUR').inputValue()).toBe('250')
    await printer.getByRole('button', { name: 'Submit offer' }).click()
    await printer.getByRole('region', { name: 'Please check' }).getByText(works[0]).waitFor()
    const summary = await summaryIn(printer)
    for (const text of ['Nordhavn Shipping', '€131.50', '€1,645.00', '€112.00', '€5,930.00', '€250.00'])
      expect(summary).toContain(text)
    await checkScreen(printer)
    await printer.getByRole('button', { name: 'Back' }).click()
    expect(await missing.inputValue()).toBe('112')
    expect(await printer.getByText('Submitted', { exact: true }).count()).toBe(0)
    await submitOffer(printer)
    await printer.getByText('Submitted', { exact: true }).first().waitFor()
    await checkScreen(printer)

    await welder.getByRole('link', { name: title }).click()
    await fillOffer(welder, { tooling: '', unit: ['139.9', '125'], days: ['14', '18'] })
    await welder.getByRole('button', { name: 'Save draft' }).click()
    await welder.getByText('Draft saved.').waitFor()
    await submitOffer(welder)
    await act(welder, 'Revise')
    await welder.getByText('Draft of revision 2').waitFor()
    await welder.getByLabel('Unit price, EUR').nth(1).fill('118,25')
    await submitOffer(welder)
    await welder.getByText('Replaced').waitFor()

    await buyer.getByRole('region', { name: 'Invitations' }).getByText('Offered').first().waitFor()
    await buyer.getByRole('link', { name: 'Compare offers' }).click()
    await buyer.getByText('The prices are sealed until the RFQ closes.').waitFor()
    await checkScreen(buyer)
    expect(await buyer.getByRole('button', { name: 'Award' }).count()).toBe(0)
    await buyer.goto(rfq)
    await act(buyer, 'Close')
    await stateOf(buyer, 'Closed')
    await buyer.getByRole('link', { name: 'Compare offers' }).click()
    await comparedAs(buyer, 'Landed total').first().waitFor()
    await checkScreen(buyer)
    expect(await cellsOf(buyer, 'Unit price')).toEqual(['best €112.00', '€118.25'])
    // One stated price is not compared with anything, and equal ones have no best.
    expect(await cellsOf(buyer, 'Tooling')).toEqual(['€250.00', 'not stated'])
    expect(await cellsOf(buyer, 'Shipping')).toEqual(['€80.00', '€80.00'])
    expect(await cellsOf(buyer, 'Landed total')).toEqual(['best €5,930.00', '€5,992.50 tooling is not stated'])
    expect(await cellsOf(buyer, 'Lead time')).toEqual(['28 days', 'best 18 days'])
    if (width === 1400) {
      // A heading sorts the offers by its row.
      await buyer.getByRole('rowheader', { name: 'Lead time' }).getByRole('button').click()
      expect(await cellsOf(buyer, 'Lead time')).toEqual(['best 18 days', '28 days'])
      await checkScreen(buyer)
    }
    if (process.env.CONSOLE_PICTURE && width === 1400) await takePicture(buyer, process.env.CONSOLE_PICTURE)
    await buyer.getByRole('button', { name: 'Award' }).click()
    const sellers = buyer.getByRole('dialog').getByLabel('Seller', { exact: true })
    await sellers.waitFor()
    expect(await sellers.getByRole('option').allInnerTexts()).toEqual([
      'The manufacturer itself',
      'Maas Parts Trading (2.5%)',
    ])
    await sellers.selectOption('Maas Parts Trading (2.5%)')
    await checkScreen(buyer)
    const awards = {
      'Vestland Additive,': '30',
      'Ruhr Präzision,': '20',
      'Revision 1 of Vestland Additive': 'PO-1',
      'Revision 2 of Ruhr Präzision': 'PO-2',
    }
    await send(buyer, 'Award', awards, async (summary) => {
      for (const text of [
        'Seller Maas Parts Trading',
        'Vestland Additive',
        '30',
        '€4,275.00',
        'PO-1',
        'Ruhr Präzision',
        '20',
        '€2,878.00',
        'PO-2',
        '€7,153.00',
        // 2.5 percent of 30 × 131.50, half-even, and of 20 × 139.90.
        '€168.57',
        '€7,321.57',
      ])
        expect(summary).toContain(text)
      await checkScreen(buyer)
    })
    await stateOf(buyer, 'Awarded')
    await checkScreen(buyer)
    const orders = buyer.getByRole('region', { name: 'Orders placed' }).getByRole('listitem')
    expect((await orders.allInnerTexts()).map((text) => /\d+ pieces · \S+/.exec(text)?.[0]).sort()).toEqual([
      '20 pieces · €2,878.00',
      '30 pieces · €4,275.00',
    ])

    await orders.filter({ hasText: 'Vestland Additive' }).getByRole('link').click()
    await stateOf(buyer, 'Placed')
    const order = new URL(buyer.url()).pathname
    await printer.goto(order)
    if (options === NARROW) await checkOrderOfSections(printer)
    await produce(printer, order, title)
    const seller = await stage.signIn(people.seller, options)
    await goTo(seller, 'Orders')
    const shipped = seller.getByRole('row').filter({ hasText: 'Shipped' })
    await shipped.getByRole('link', { name: title }).click()
    // The RFQ is not for the seller, so its link and its place of delivery are not shown.
    expect(await seller.getByText('Open the RFQ').count()).toBe(0)
    await act(seller, 'Record arrival')
    await stateOf(seller, 'Delivered')
    await act(buyer, 'Complete the order')
    await stateOf(buyer, 'Completed')
    await buyer.getByText('Ingrid Solberg').waitFor()
    await checkScreen(buyer)
    await buyer
      .locator('.timeline .badge', { hasText: /^Completed$/ })
      .first()
      .waitFor()
    const states = await buyer.locator('.timeline .badge').allInnerTexts()
    expect(states).toEqual([
      ...['Completed', 'Delivered', 'Shipped', 'In inspection', 'In production', 'In inspection'],
      ...['In production', 'On hold', 'In production', 'Confirmed', 'Placed'],
    ])

    const designer = await stage.signIn(people.designer, options)
    await designer.goto(order)
    await stateOf(designer, 'Completed')
    await designer.goto('/console/orders')
    await designer.getByRole('link', { name: title }).first().waitFor()
    await checkScreen(designer)
    for (const page of [buyer, printer, welder, seller, designer]) {
      expect(await page.title()).toEndWith('· Marketplace')
      await page.context().close()
    }
  },
  120_000,
)

/** What a narrow window shows first: the way forward, then the drawings, and the history at the end. */
async function checkOrderOfSections(printer: Page): Promise<void> {
  const sections = ['Order', 'Drawings and files', 'Documents', 'Conversations', 'Timeline']
  const tops: number[] = []
  for (const name of sections) {
    const box = await printer.getByRole('region', { name, exact: true }).boundingBox()
    tops.push(box?.y ?? 0)
  }
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  const [confirm, decline] = await Promise.all(
    ['Confirm', 'Decline'].map((name) => printer.getByRole('button', { name, exact: true }).boundingBox()),
  )
  // The next step is under the right thumb.
  expect([decline?.x, (confirm?.x ?? 0) > (decline?.x ?? 0)]).toEqual([16, true])
}

/** The steps of the manufacturer, with a hold, a rework and what it tells the other organizations. */
async function produce(printer: Page, order: string, title: string): Promise<void> {
  await goTo(printer, 'Orders')
  await checkScreen(printer)
  await printer.getByRole('link', { name: title }).click()
  expect(new URL(printer.url()).pathname).toBe(order)
  const facts = printer.getByRole('region', { name: 'Order', exact: true })
  await facts.getByText('Denmark').waitFor()
  await facts.getByText('DAP').waitFor()
  await act(printer, 'Confirm')
  await printer.getByRole('region', { name: 'Milestones' }).getByRole('button', { name: 'Add' }).click()
  await printer.getByLabel('Milestone', { exact: true }).fill('First article inspection')
  await printer.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await act(printer, 'Done')
  await printer.getByText(/^done on /).waitFor()
  await act(printer, 'Start production')
  await act(printer, 'Put on hold', { Reason: 'The powder batch failed its test.' })
  await stateOf(printer, 'On hold')
  await act(printer, 'Resume')
  await act(printer, 'Inspect')
  await act(printer, 'Rework', { Reason: 'Two bores are out of tolerance.' })
  await act(printer, 'Inspect')
  await act(printer, 'Add contact', {
    Name: 'Ingrid Solberg',
    Task: 'Quality manager',
    'E-mail address': 'ingrid@example.com',
  })
  await act(printer, 'Add billing details', {
    Company: 'Vestland Additive AS',
    'Street and number': 'Damsgårdsveien 165',
    Town: 'Bergen',
    Country: 'Norway',
  })
  await printer.getByText('Vestland Additive AS').waitFor()
  await act(printer, 'Ship', { Carrier: 'Nordic Freight', 'Tracking number': 'NF-2207-0042' })
  await stateOf(printer, 'Shipped')
  await checkScreen(printer)
}

/** The picture of the README. */
async function takePicture(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const clip = { x: 232, y: 0, width: 1168, height: 800, scale: 1 }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70, clip })
  await Bun.write(path, Buffer.from(data, 'base64'))
}
