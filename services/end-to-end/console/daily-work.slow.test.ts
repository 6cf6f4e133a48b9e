import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { act, checkScreen, consoleStage, NARROW, send, stateOf, WIDE } from '../../testing/console.ts'
import { euros } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const stage = await consoleStage()
const parties = await awardParties(stage.market)
const { consumer, maker, rival, seller, open, offer } = parties
const buyer = await consumer.member('Buyer')

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const rowOf = (page: Page, title: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title, exact: true }) })
const cellsOf = async (page: Page, title: string) =>
  (await rowOf(page, title).getByRole('cell').allInnerTexts()).map(oneLine)

describe('the comparison of offers', () => {
  test.each([
    [1400, WIDE],
    [390, NARROW],
  ] as const)(
    'at %p px it shows notes, what is not stated, and no best where offers are equal',
    async (_, options) => {
      const rfqId = await open()
      const notes = 'The price of the powder is not confirmed.'
      await offer(rfqId, maker, { shippingCost: undefined, notes })
      await offer(rfqId, rival, { toolingCost: euros('900') })
      const page = await stage.signIn(buyer, options)
      await page.goto(`/console/rfqs/${rfqId}/comparison`)
      await rowOf(page, 'Landed total').waitFor()
      await checkScreen(page)
      expect(await cellsOf(page, 'Landed total')).toEqual(['best €5,724.90', '€5,975.00 shipping is not stated'])
      expect(await cellsOf(page, 'Unit price')).toEqual(['€95.50', '€95.50'])
      expect(await cellsOf(page, 'Tooling')).toEqual(['best €900.00', '€1,200.00'])
      expect(await cellsOf(page, 'Shipping')).toEqual(['€49.90', 'not stated'])
      expect(await cellsOf(page, 'Notes for the consumer')).toEqual(['', notes])
      // The notes are shown again before the award, which is binding.
      await page.getByRole('button', { name: 'Award' }).click()
      const inputs = page.getByRole('dialog').locator('input')
      await inputs.first().and(page.locator(':focus')).waitFor()
      await inputs.nth(1).fill('10')
      await page.getByRole('dialog').getByRole('button', { name: 'Award' }).click()
      await page.getByRole('region', { name: 'Please check' }).getByText(notes).waitFor()
      await checkScreen(page)
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
    'at %p px an announced delay is in home, list and head of the order, and an ended RFQ has no closing time',
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
      const item = page.getByRole('listitem').filter({ hasText: order.serialNumber })
      await item.waitFor()
      expect(oneLine(await item.innerText())).toContain(`due ${late}`)
      await checkScreen(page)
      await page.goto('/console/orders')
      const row = page.getByRole('row').filter({ hasText: order.serialNumber })
      await row.waitFor()
      expect(oneLine(await row.innerText())).toContain(late)
      await checkScreen(page)
      await page.goto(`/console/orders/${order.id}`)
      await page.getByRole('heading', { level: 1, name: order.serialNumber }).waitFor()
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
  test('a seller of an earlier order is chosen by its name, and nothing else of it is asked', async () => {
    const first = await open()
    await awardsOf(consumer.administrator.client).award(first, {
      awards: [{ offerId: await offer(first, maker), quantity: 10 }],
      sellerOrgId: seller.orgId,
    })
    const rfqId = await open()
    await offer(rfqId, maker)
    const page = await stage.signIn(buyer)
    await page.goto(`/console/rfqs/${rfqId}/comparison`)
    await page.getByRole('button', { name: 'Award' }).click()
    const { name } = (await consumer.administrator.client.get<{ name: string }>(`/v1/orgs/${seller.orgId}`)).body
    await page.getByRole('option', { name }).waitFor({ state: 'attached' })
    await page.getByRole('dialog').locator('input').first().fill('10')
    await send(page, 'Award', { Seller: name }, async (summary) => expect(summary).toContain(`Seller ${name}`))
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
    const matches = page.getByRole('region', { name: 'Factories that qualify' })
    await matches.getByText('Material: met').first().waitFor()
    expect(await matches.getByText(/is not in/).count()).toBe(0)
    await page.context().close()
  }, 60_000)
})
