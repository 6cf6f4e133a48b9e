import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import {
  act,
  checkScreen,
  comparedAs,
  consoleStage,
  goTo,
  NARROW,
  press,
  send,
  stateOf,
  summaryIn,
  WIDE,
} from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import { euros } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const stage = await consoleStage()
const parties = await awardParties(stage.market)
const { consumer, ipOwner, maker, rival, seller, open, offer } = parties
const buyer = await consumer.member('Buyer')

/** The addresses of links, in the page. */
const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href'))
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const cellsOf = async (page: Page, title: string) => (await comparedAs(page, title).allInnerTexts()).map(oneLine)

describe('the comparison of offers', () => {
  test.each([
    [1400, WIDE],
    [390, NARROW],
  ] as const)(
    'at %p px it shows notes, what is not stated, and no best where offers are equal',
    async (_, options) => {
      const rfqId = await open()
      const notes = 'The price of the powder is not confirmed.'
      const priceBreaks = [{ minQuantity: 10, unitPrice: euros('95.5'), leadTimeDays: 28 }]
      await offer(rfqId, maker, { shippingCost: undefined, notes, priceBreaks })
      await offer(rfqId, rival, { toolingCost: euros('900') })
      const page = await stage.signIn(buyer, options)
      await page.goto(`/console/rfqs/${rfqId}/comparison`)
      await comparedAs(page, 'Landed total').first().waitFor()
      await checkScreen(page)
      expect(await cellsOf(page, 'Landed total')).toEqual(['best €5,724.90', '€5,975.00 shipping is not stated'])
      await page.getByText(/is best: the lowest total, €5,724\.90, 4\.2% under the next\./).waitFor()
      expect(await cellsOf(page, 'Unit price')).toEqual(['€95.50', '€95.50'])
      expect(await cellsOf(page, 'Tooling')).toEqual(['best €900.00', '€1,200.00'])
      expect(await cellsOf(page, 'Shipping')).toEqual(['€49.90', 'not stated'])
      expect((await cellsOf(page, 'Notes for the consumer')).filter(Boolean)).toEqual([notes])
      // The notes are shown again before the award, which is binding.
      await page.getByRole('button', { name: 'Award' }).click()
      const inputs = page.getByRole('dialog').locator('input')
      await inputs.first().and(page.locator(':focus')).waitFor()
      await checkScreen(page)
      // The best offer begins with the compared quantity, and the labels name maker, offer and total.
      expect([await inputs.first().inputValue(), await inputs.nth(1).inputValue()]).toEqual(['50', '0'])
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/, Revision 1: €5,724\.90 for 50 pieces/).waitFor()
      const button = dialog.getByRole('button', { name: 'Award' })
      for (const [pieces, reason] of [
        ['10', 'Together these are 60 pieces, but the RFQ asks for 50 at most.'],
        ['5', 'This offer begins at 10 pieces.'],
        ['ten', 'Please enter a whole number of pieces, or 0.'],
      ] as const) {
        await inputs.nth(1).fill(pieces)
        await dialog.getByRole('status').getByText(reason).waitFor()
        expect([pieces, await button.isDisabled()]).toEqual([pieces, true])
      }
      await checkScreen(page)
      await inputs.nth(1).fill('0')
      await inputs.first().fill('0')
      await dialog.getByText('Enter a number of pieces for at least one offer.').waitFor()
      expect(await button.isDisabled()).toBe(true)
      await inputs.nth(1).fill('10')
      await page.getByRole('dialog').getByRole('button', { name: 'Award' }).click()
      await page.getByRole('region', { name: 'Please check' }).getByText(notes).waitFor()
      await checkScreen(page)
      const summary = await summaryIn(page)
      for (const text of [
        'Quantity 10 ',
        'Unit price €95.50',
        'Tooling €1,200.00',
        'Shipping not stated',
        'Landed total €2,155.00',
        'Due about ',
        'Purchase order number not stated',
        'Payment terms not stated',
        'Delivery address Denmark',
      ]) {
        expect(summary).toContain(text)
      }
      await page.context().close()
    },
    60_000,
  )
})

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
/** A day as the console shows it in this test. */
const shown = (iso: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso))

describe('days that have changed', () => {
  test.each([
    [1400, WIDE],
    [390, NARROW],
  ] as const)(
    'at %p px an announced delay is in list and head of the order, and an ended RFQ has no closing time',
    async (_, options) => {
      const rfqId = await open()
      const { body } = await awardsOf(consumer.administrator.client).award(rfqId, {
        awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }],
      })
      const [order] = body.orders
      if (!order) throw new Error('the award placed no order')
      const made = ordersOf(maker.administrator.client)
      await made.act(order.id, 'confirm')
      const delayed = inDays(60)
      const milestones = [{ name: 'Second powder batch', plannedTime: delayed }]
      expect((await made.act(order.id, 'milestones', { milestones })).status).toBe(200)
      const closed = await open()
      expect((await rfqsOf(consumer.administrator.client).act(closed, 'close')).status).toBe(200)

      const page = await stage.signIn(buyer, options)
      const late = `${shown(delayed)} (agreed: ${shown(order.dueDate)}) late`
      await page.goto('/console/orders')
      const row = page.getByRole('row').filter({ hasText: order.serialNumber })
      await row.waitFor()
      expect(oneLine(await row.innerText())).toContain(late)
      await checkScreen(page)
      await page.goto(`/console/orders/${order.id}`)
      await page.locator('.over').getByText(order.serialNumber).waitFor()
      expect(oneLine(await page.locator('.over').innerText())).toContain(`due ${late}`)
      await checkScreen(page)
      for (const [id, state] of [
        [rfqId, 'Awarded'],
        [closed, 'Closed'],
      ] as const) {
        const { serialNumber } = (await rfqsOf(consumer.administrator.client).read(id)).body
        await page.goto('/console/rfqs')
        const ended = page.getByRole('row').filter({ hasText: serialNumber })
        await ended.waitFor()
        expect(oneLine(await ended.innerText())).toContain(`${state}: ${shown(new Date().toISOString())}`)
        await page.goto(`/console/rfqs/${id}`)
        await page.getByRole('definition').first().waitFor()
        expect(await page.getByRole('term').filter({ hasText: 'Closes' }).count()).toBe(0)
        await page.getByRole('term').filter({ hasText: state }).waitFor()
        await checkScreen(page)
      }
      await page.context().close()
    },
    60_000,
  )
})

describe('choices by name', () => {
  test('a seller that agreed with the manufacturer is chosen by its name, and nothing else of it is asked', async () => {
    const rfqId = await open()
    await offer(rfqId, maker)
    const page = await stage.signIn(buyer)
    await page.goto(`/console/rfqs/${rfqId}/comparison`)
    await page.getByRole('button', { name: 'Award' }).click()
    const { name } = (await consumer.administrator.client.get<{ name: string }>(`/v1/orgs/${seller.orgId}`)).body
    const option = `${name} (2.5%)`
    await page.getByRole('dialog').getByRole('option', { name: option }).waitFor({ state: 'attached' })
    await page.getByRole('dialog').locator('input').first().fill('10')
    await send(page, 'Award', { Seller: option }, async (summary) => expect(summary).toContain(`Seller ${name}`))
    await stateOf(page, 'Awarded')
    expect((await parties.ordersOfRfq(rfqId)).map(({ sellerOrgId }) => sellerOrgId)).toEqual([seller.orgId])
    await page.context().close()
  }, 60_000)

  test('the country of a factory is chosen by its name and sent as its code, in the language of the browser', async () => {
    const page = await stage.signIn(await maker.member('Manufacturer'))
    await page.goto('/console/factories')
    await act(page, 'New factory', { Name: 'Bergen Works', Town: 'Bergen', Country: 'Norway' })
    await page.getByRole('heading', { level: 1, name: 'Bergen Works' }).waitFor()
    await page.getByRole('definition').getByText('Norway').waitFor()
    await checkScreen(page)
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const { body } = await maker.administrator.client.get<{ address: { regionCode: string } }>(`/v1/factories/${id}`)
    expect(body.address.regionCode).toBe('NO')
    await page.context().close()
  }, 60_000)

  test('a factory in another country than that of delivery misses nothing by it', async () => {
    const { body } = await rfqsOf(consumer.administrator.client).create(
      rfqBody(parties.partId, { deliveryRegionCode: 'DE' }),
    )
    const page = await stage.signIn(buyer)
    await page.goto(`/console/rfqs/${body.id}`)
    const matches = page.getByRole('region', { name: 'Factories' })
    await matches.getByText('Material: met').first().waitFor()
    expect(await matches.getByText(/is not in/).count()).toBe(0)
    await page.context().close()
  }, 60_000)
})

describe('what is printed on a part, a request or an order', () => {
  test('serial numbers and titles in the searches find the record', async () => {
    const rfqId = await open()
    const { body } = await awardsOf(consumer.administrator.client).award(rfqId, {
      awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }],
    })
    const [order] = body.orders
    if (!order) throw new Error('the award placed no order')
    const part = (await ipOwner.administrator.client.get<Part>(`/v1/parts/${parties.partId}`)).body
    const page = await stage.signIn(buyer)
    for (const [screen, text, id] of [
      ['parts', part.serialNumber.toLowerCase(), part.id],
      ['rfqs', body.serialNumber, rfqId],
      ['orders', order.serialNumber, order.id],
    ] as const) {
      await page.goto(`/console/${screen}`)
      await page.getByRole('searchbox').fill(text)
      await page.waitForURL(`**/console/${screen}?q=${text}`)
      const links = page.getByRole('cell').getByRole('link')
      await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
      await links.first().waitFor()
      expect([screen, await links.evaluateAll(hrefsOf)]).toEqual([screen, [`/console/${screen}/${id}`]])
      await checkScreen(page)
    }
    await page.getByRole('searchbox').fill(part.title ?? '')
    await page.getByText(order.serialNumber).waitFor()
    await page.getByRole('searchbox').fill('no such title')
    await page.getByText('No matching orders.').waitFor()
    await page.context().close()
  }, 60_000)

  test.each([
    [1400, WIDE],
    [390, NARROW],
  ] as const)(
    'at %p px factories are filtered by material, process, country, standard and criticality, in the address too',
    async (_, options) => {
      await createFactory(maker.administrator.client, {
        name: 'Trondheim Works',
        capabilities: [
          {
            materialCode: 'in718',
            technologyId: 'pbf-lb-m',
            standardCodes: ['iso-astm-52901'],
            criticalityIds: ['api-20s-amsl-2'],
          },
        ],
      })
      const page = await stage.signIn(await maker.member('Manufacturer'), options)
      await page.goto('/console/factories')
      const works = page.getByRole('link', { name: 'Trondheim Works' }).first()
      for (const [label, option, other] of [
        ['Material', 'in718', '316l'],
        ['Process type', 'additive_manufacturing', 'cnc'],
        ['Country', 'NO', 'DE'],
        ['Standard', 'iso-astm-52901', 'as9100'],
        ['Criticality', 'api-20s-amsl-2', 'api-20s-amsl-3'],
      ] as const) {
        const filter = page.getByLabel(new RegExp(`^${label}`))
        await filter.locator(`option[value="${option}"]`).waitFor({ state: 'attached' })
        await filter.selectOption(other)
        await works.waitFor({ state: 'detached' })
        await filter.selectOption(option)
        await works.waitFor()
      }
      await checkScreen(page)
      expect(new URL(page.url()).search).toBe(
        '?material=in718&processType=additive_manufacturing&country=NO&standard=iso-astm-52901&criticality=api-20s-amsl-2',
      )
      await page.context().close()
    },
    60_000,
  )
})

describe('text that is not lost', () => {
  test('Back and a copied address keep the filters of a list', async () => {
    const rfqId = await open()
    const { serialNumber } = (await rfqsOf(consumer.administrator.client).read(rfqId)).body
    const page = await stage.signIn(buyer)
    await page.goto('/console/rfqs')
    await page.getByLabel(/^State/).selectOption('OPEN')
    await page.getByLabel('Hide expired').check()
    await page.getByRole('searchbox').fill(serialNumber)
    await page.waitForURL(`**/console/rfqs?state=OPEN&hideExpired=true&q=${serialNumber}`)
    await page.getByRole('row').filter({ hasText: serialNumber }).getByRole('link').click()
    await page.locator('.over').getByText(serialNumber).waitFor()
    const areKept = async () => {
      await page.getByRole('row').filter({ hasText: serialNumber }).waitFor()
      expect(await page.getByRole('searchbox').inputValue()).toBe(serialNumber)
      expect(await page.getByLabel(/^State/).inputValue()).toBe('OPEN')
      expect(await page.getByLabel('Hide expired').isChecked()).toBe(true)
    }
    await page.goBack()
    await areKept()
    await page.reload()
    await areKept()
    // What the address says is not trusted.
    await page.goto('/console/rfqs?state=LOST&view=SELLER')
    await page.getByRole('row').filter({ hasText: serialNumber }).waitFor()
    expect(await page.getByLabel(/^State/).inputValue()).toBe('')
    await page.context().close()
  }, 60_000)

  test('of two tabs that edit a part the second is refused, and overwrites nothing', async () => {
    const partId = await publishedPart(ipOwner.administrator.client, { title: 'Gland' })
    const person = await ipOwner.member('IP owner')
    const first = await stage.signIn(person)
    const second = await first.context().newPage()
    for (const tab of [first, second]) {
      await tab.goto(`/console/parts/${partId}`)
      await press(tab, 'Edit')
      await tab.getByLabel('Title').and(tab.locator(':focus')).waitFor()
    }
    await first.getByLabel('Title').fill('Gland, first')
    await first.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await first.getByRole('heading', { level: 1, name: 'Gland, first' }).waitFor()
    // The page behind the dialog has the change already, and the dialog still has what it began with.
    await second.getByText('Gland, first').first().waitFor({ state: 'attached' })
    await second.getByLabel('Description').fill('From the second tab.')
    await second.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await second.getByText(/has changed this in the meantime.*Nothing was overwritten/).waitFor()
    await checkScreen(second)
    expect(await second.getByLabel('Description').inputValue()).toBe('From the second tab.')
    const read = async () => (await ipOwner.administrator.client.get<Part>(`/v1/parts/${partId}`)).body
    expect(await read()).toMatchObject({ title: 'Gland, first' })
    expect(await read()).not.toHaveProperty('description')
    // Opened again it begins with the change, and is accepted.
    await second.getByRole('button', { name: 'Cancel' }).click()
    await act(second, 'Edit', { Description: 'From the second tab.' })
    await second.getByText('From the second tab.').waitFor()
    expect(await read()).toMatchObject({ title: 'Gland, first', description: 'From the second tab.' })
    await first.context().close()
  }, 60_000)

  test('leaving a half-filled form by a link, a step back, Escape or the window asks first', async () => {
    const page = await stage.signIn(buyer)
    await goTo(page, 'RFQs')
    await page.getByRole('link', { name: 'New RFQ' }).click()
    const asked: string[] = []
    let isLeft = false
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await (isLeft ? dialog.accept() : dialog.dismiss())
    })
    const form = page.getByLabel('Requirements')
    const isKept = async (type: string) => {
      await until(() => asked.length > 0, { what: `a question before the form is left (${type})` })
      expect(asked.splice(0)).toEqual([type])
      await page.waitForURL('**/console/rfqs/new')
      expect(await form.inputValue()).toBe('Certificates 3.1')
    }
    // A search in the form is not a text of the form.
    await page.getByRole('searchbox').fill('impeller')
    await goTo(page, 'Orders')
    expect(asked).toEqual([])
    await page.goBack()
    await form.fill('Certificates 3.1')
    await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click()
    await isKept('confirm')
    await page.goBack()
    await isKept('confirm')
    await page.close({ runBeforeUnload: true })
    await isKept('beforeunload')
    isLeft = true
    await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    expect(asked.splice(0)).toEqual(['confirm'])
    // Nothing is asked once the text is sent.
    const rfqId = (await rfqsOf(consumer.administrator.client).create(rfqBody(parties.partId))).body.id
    await page.goto(`/console/rfqs/${rfqId}`)
    await press(page, 'Edit')
    await form.fill('Certificates 3.2')
    isLeft = false
    await page.keyboard.press('Escape')
    await until(() => asked.length > 0, { what: 'a question before the dialog closes' })
    expect(asked.splice(0)).toEqual(['confirm'])
    expect(await form.inputValue()).toBe('Certificates 3.2')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await goTo(page, 'Orders')
    expect(asked).toEqual([])
    await page.context().close()
  }, 60_000)
})
