import { expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { checkScreen, consoleStage, goTo, NARROW, send, summaryIn, WIDE } from '../../testing/console.ts'
import { createFactory, PRINTS_STEEL } from '../../testing/factories.ts'
import { euros } from '../../testing/offers.ts'
import { lineOffer, packageParties, packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import { publishedPart } from '../../testing/rfqs.ts'

setDefaultTimeout(90_000)
const stage = await consoleStage()
const TITANIUM = 'ti6al4v-grade-5'

test.each([
  ['wide', WIDE],
  ['narrow', NARROW],
])(
  'in a %s window a buyer asks for many parts, a maker quotes all at once, and one award orders them',
  async (_, options) => {
    const { market } = stage
    const [ipOwner, consumer, manufacturer, rival] = await Promise.all([
      market.organization(['IP_OWNER']),
      market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' }),
      market.organization(['MANUFACTURER'], { name: `Vestland Additive ${_}` }),
      market.organization(['MANUFACTURER'], { name: `Ruhr Präzision ${_}` }),
    ])
    const owner = ipOwner.administrator.client
    const reference = `REF-${_}`
    const [hub, shaft] = [
      await publishedPart(owner, { title: `Hub ${_}` }),
      await publishedPart(owner, { title: `Shaft ${_}`, externalRef: reference }),
    ]
    const casing = await publishedPart(owner, { title: `Casing ${_}`, materialId: TITANIUM })
    const { serialNumber } = (await owner.get<Part>(`/v1/parts/${casing}`)).body
    const both = [PRINTS_STEEL, { ...PRINTS_STEEL, materialCode: TITANIUM }]
    await createFactory(manufacturer.administrator.client, { capabilities: both })
    const rivalFactory = await createFactory(rival.administrator.client)

    const buyer = await stage.signIn(await consumer.member('Buyer'), options)
    await goTo(buyer, 'RFQs')
    await buyer.getByRole('main').getByRole('link', { name: 'Packages' }).click()
    await buyer.getByText('No packages yet.').waitFor()
    await checkScreen(buyer)
    await buyer.getByRole('link', { name: 'New package' }).click()
    await buyer.getByRole('button', { name: 'Save draft' }).click()
    await buyer.getByText('Add at least one part.').waitFor()
    await buyer.getByLabel('Title').fill('Pump overhaul')
    await buyer.getByLabel('Find a part').fill(`Hub ${_}`)
    await buyer.getByRole('button', { name: `Add Hub ${_}` }).click()
    // A request that fails does not make a part unknown.
    const isSearch = ({ pathname }: URL) => pathname === '/flows/v1/parts'
    await buyer.route(isSearch, (route) => route.fulfill({ status: 400, json: {} }))
    await buyer.getByLabel('Or paste rows').fill(`${serialNumber}\t20`)
    await buyer.getByRole('button', { name: 'Add the rows' }).click()
    await buyer.getByText(`${serialNumber}: the search failed.`).waitFor()
    await buyer.unroute(isSearch)
    await buyer.getByLabel('Or paste rows').fill(`${serialNumber}\t20\n${reference}\t30; 60\nnone\t5\n`)
    await buyer.getByRole('button', { name: 'Add the rows' }).click()
    await buyer.getByText('none: no such part').waitFor()
    expect(await buyer.getByLabel(`Quantities of Shaft ${_}`).inputValue()).toBe('30, 60')
    for (const maker of [`Vestland Additive ${_}`, `Ruhr Präzision ${_}`]) {
      await buyer.getByLabel('Search: Manufacturers').fill(maker)
      await buyer.getByRole('button', { name: `Add ${maker}` }).click()
    }
    await buyer.getByLabel('Delivery to').selectOption('DK')
    // The screen names the makers that do not qualify for a part before anything is saved.
    const unfit = `Ruhr Präzision ${_} does not qualify for: Casing ${_} (${serialNumber}).`
    await buyer.getByText(unfit).waitFor()
    expect(await buyer.getByText('does not qualify for').count()).toBe(1)
    await checkScreen(buyer)
    // Each problem is shown at its line.
    await buyer.getByLabel(`Quantities of Hub ${_}`).fill('ten')
    await buyer.getByRole('button', { name: 'Save draft' }).click()
    await buyer.locator('[aria-invalid=true]').waitFor()
    expect(await buyer.locator('[aria-invalid=true]').getAttribute('name')).toBe('lines.0.quantities')
    await buyer.getByLabel(`Quantities of Hub ${_}`).fill('10')
    await buyer.getByRole('button', { name: 'Save draft' }).click()
    await buyer.getByRole('heading', { level: 1, name: 'Pump overhaul' }).waitFor()
    const lacking = buyer.getByRole('region', { name: 'Manufacturers that do not qualify' }).getByRole('listitem')
    await lacking.getByText(`Casing ${_} · Ruhr Präzision ${_}`).waitFor()
    await lacking.getByText('Material: the factory does not have Titanium alloy Ti6Al4V (Grade 5)').waitFor()
    expect(await lacking.count()).toBe(1)
    await checkScreen(buyer)
    await buyer.getByRole('button', { name: 'Publish', exact: true }).click()
    await buyer.getByRole('dialog').getByText('1 of the invitations goes to a manufacturer').waitFor()
    await send(buyer, 'Publish')
    await buyer.getByText('0 of 3 lines offered').filter({ visible: true }).first().waitFor()
    await checkScreen(buyer)
    const id = new URL(buyer.url()).pathname.split('/').at(-1) ?? ''
    // The lines of a package are together below its name, and say what they wait for.
    await goTo(buyer, 'RFQs')
    const group = (page: Page) => page.getByRole('rowheader', { name: 'Pump overhaul 3 lines' })
    await group(buyer).getByRole('link', { name: 'Pump overhaul' }).waitFor()
    expect(await buyer.getByText('Waiting for offers').count()).toBe(3)
    await checkScreen(buyer)
    await buyer.getByRole('main').getByRole('link', { name: 'Packages' }).click()
    await buyer.getByRole('row').getByText('Waiting for offers').waitFor()
    await checkScreen(buyer)
    await buyer.getByRole('link', { name: 'Pump overhaul' }).click()
    await buyer.getByText('0 of 3 lines offered').filter({ visible: true }).first().waitFor()

    const maker = await stage.signIn(await manufacturer.member('Manufacturer'), options)
    const inbox = maker.getByRole('region', { name: 'Inbox' })
    const invitation = inbox.getByRole('listitem').filter({ hasText: 'Invitation to quote' })
    await invitation.getByText('3 lines of the package').waitFor()
    expect(await inbox.getByRole('listitem').count()).toBe(1)
    await checkScreen(maker)
    await invitation.getByRole('link', { name: 'Pump overhaul' }).click()
    await maker.getByText('Fill in the lines').waitFor()
    await goTo(maker, 'RFQs')
    await group(maker).waitFor()
    await checkScreen(maker)
    await maker.getByRole('main').getByRole('link', { name: 'Packages' }).click()
    await maker.getByRole('link', { name: 'Pump overhaul' }).click()
    await maker.getByText('Fill in the lines').waitFor()
    await checkScreen(maker)
    const cell = (column: string, part: string, pieces: number) =>
      maker.getByLabel(`${column}, ${part} ${_}, from ${pieces} pieces`)
    // The rows of a spreadsheet: price, days, tooling, shipping.
    await cell('Unit price', 'Hub', 10).focus()
    await maker.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', '80\\t28\\t100\\t5\\n60.5\\t20\\n40\\t15\\t\\t9\\n35\\tsoon')
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }`)
    expect(await cell('Tooling', 'Hub', 10).inputValue()).toBe('100')
    expect(await cell('Shipping', 'Shaft', 30).inputValue()).toBe('9')
    await maker.getByRole('button', { name: 'Submit offers' }).click()
    await maker.locator('[aria-invalid=true]').waitFor()
    expect(await cell('Days', 'Shaft', 60).getAttribute('aria-invalid')).toBe('true')
    await checkScreen(maker)
    await cell('Days', 'Shaft', 60).fill('14')
    await maker.getByRole('button', { name: 'Submit offers' }).click()
    const submitted = await summaryIn(maker)
    expect(submitted).toContain(`Casing ${_} 20: €60.50, 20 days`)
    expect(submitted).toContain('60 pieces: €2,109.00')
    await checkScreen(maker)
    await maker.getByRole('button', { name: 'Confirm' }).click()
    await maker.getByText('3 offers submitted.').waitFor()
    await checkScreen(maker)

    const rivals = packagesOf(rival.administrator.client)
    const [first = '', second = ''] = rfqIdsOf((await rivals.read(id)).body)
    // Only offers that state the same costs are compared by their totals.
    const none = { toolingCost: euros('0'), shippingCost: euros('0') }
    const lines = [lineOffer(first, rivalFactory.id, '95', 7, none), lineOffer(second, rivalFactory.id, '50', 7, none)]
    await rivals.offer(id, { lines, submit: true })

    await buyer.reload()
    const cheapest = buyer.getByRole('region', { name: 'Cheapest for each line' })
    // Hub 905 or 950, Casing 1210 or 1000, 60 shafts 2109.
    await cheapest.getByText('€4,014.00').waitFor()
    await buyer.getByRole('region', { name: 'One manufacturer for all' }).getByText('€4,224.00').waitFor()
    await buyer.getByRole('region', { name: 'Fastest for each line' }).getByText('€4,059.00').waitFor()
    expect(await buyer.getByText('chosen', { exact: true }).count()).toBe(3)
    // A narrow window has a card for each line, so nothing is beside the window.
    const isCut = `document.querySelector('.scroll').scrollWidth > document.querySelector('.scroll').clientWidth`
    expect(await buyer.evaluate(isCut)).toBe(false)
    await checkScreen(buyer)
    if (options === WIDE) {
      // A heading sorts the lines, in the other direction when it is pressed again.
      const matrix = buyer.getByRole('region', { name: 'Lines and manufacturers' })
      const partsOf = async () => (await matrix.locator('tbody th a').allInnerTexts()).map((text) => text.split(' ')[0])
      const heading = matrix.getByRole('columnheader', { name: `Vestland Additive ${_}` })
      await heading.getByRole('button').click()
      expect([await heading.getAttribute('aria-sort'), ...(await partsOf())]).toEqual([
        'ascending',
        'Hub',
        'Casing',
        'Shaft',
      ])
      await heading.getByRole('button').click()
      expect([await heading.getAttribute('aria-sort'), ...(await partsOf())]).toEqual([
        'descending',
        'Shaft',
        'Casing',
        'Hub',
      ])
      await checkScreen(buyer)
    }
    await buyer.getByRole('region', { name: 'Fastest for each line' }).getByRole('button').click()
    await cheapest.getByRole('button', { name: 'Show this choice' }).waitFor()
    await cheapest.getByRole('button', { name: 'Show this choice' }).click()

    await buyer.getByRole('main').getByRole('button', { name: 'Award', exact: true }).click()
    const dialog = buyer.getByRole('dialog')
    await dialog.getByLabel(`Pieces of Shaft ${_}`).fill('61')
    await dialog.getByText('Enter a whole number from 1 to 60.').first().waitFor()
    expect(await dialog.getByRole('button', { name: 'Award' }).isDisabled()).toBe(true)
    await checkScreen(buyer)
    // The hub is left for later.
    await send(
      buyer,
      'Award',
      { [`Pieces of Shaft ${_}`]: '30', [`Offer for Hub ${_}`]: '', 'Purchase order number': '4500118' },
      async (summary) => {
        for (const text of [
          `Casing ${_} Ruhr Präzision ${_} 20 7 days €1,000.00`,
          `Vestland Additive ${_} 30 15 days €1,209.00`,
          'Total: €2,209.00',
        ]) {
          expect(summary).toContain(text)
        }
        expect(summary).not.toContain('Hub')
      },
    )
    await buyer.getByText('Awarded').first().waitFor()
    await buyer.getByRole('region', { name: 'Orders placed' }).getByText('€2,209.00').waitFor()
    await buyer.getByText('not chosen').first().waitFor()
    await checkScreen(buyer)
    await maker.reload()
    await maker.getByText('yours', { exact: true }).waitFor()
    await maker.getByText('not yours', { exact: true }).waitFor()
    await checkScreen(maker)
    const { lines: ended } = (await packagesOf(consumer.administrator.client).read(id)).body
    expect(ended.map(({ partId, state }) => [partId, state])).toEqual([
      [hub, 'OPEN'],
      [casing, 'AWARDED'],
      [shaft, 'AWARDED'],
    ])
  },
)

test('a maker accepts the terms of all lines at once, after it has read them', async () => {
  const { market } = stage
  const { maker } = await packageParties(market)
  const own = await market.organization(['CONSUMER', 'IP_OWNER'])
  const { client } = own.administrator
  const partIds = [
    await publishedPart(client, { title: 'Secret hub', internal: true }),
    await publishedPart(client, { title: 'Secret shaft', internal: true }),
  ]
  const packages = packagesOf(client)
  const { body } = await packages.create({
    title: 'Overhaul',
    lines: partIds.map((partId) => ({ partId, quantities: [5] })),
    manufacturerIds: [maker.orgId],
    expireTime: new Date(Date.now() + 86_400_000 * 3).toISOString(),
    currency: 'EUR',
    deliveryRegionCode: 'DK',
    confidentialityTerms: 'Nothing may be passed on.',
  })
  await packages.act(body.id, 'publish')
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await page.goto(`/console/packages/${body.id}`)
  await page.getByText('2 lines show only their outline').waitFor()
  await page.getByRole('button', { name: 'Accept the confidentiality terms' }).click()
  await page.getByRole('dialog').getByText('Nothing may be passed on.').waitFor()
  await checkScreen(page)
  await send(page, 'Accept the confidentiality terms')
  await page.getByText('Fill in the lines').waitFor()
})

test('in German a sealed package has no totals, and its maker sees no line of others', async () => {
  const { market } = stage
  const { consumer, rival, open } = await packageParties(market)
  const { id } = await open({ sealed: true })
  const buyer = await stage.signIn(await consumer.member('Buyer'))
  await buyer.goto(`/console/packages/${id}`)
  await buyer.getByText('A line is sealed and open.').waitFor()
  expect(await buyer.getByText('Cheapest for each line').count()).toBe(0)
  const maker = await stage.signIn(await rival.member('Manufacturer'))
  await maker.evaluate("localStorage.setItem('marketplace-language', 'de')")
  await maker.goto(`/console/packages/${id}`)
  await maker.getByText('2 Positionen').waitFor()
  await maker.getByRole('button', { name: 'Angebote abgeben' }).waitFor()
  expect(await maker.getByText('Shaft').count()).toBe(0)
  await checkScreen(maker)
})
