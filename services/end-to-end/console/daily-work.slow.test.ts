import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties } from '../../testing/awards.ts'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { euros } from '../../testing/offers.ts'

const stage = await consoleStage()
const parties = await awardParties(stage.market)
const { consumer, maker, rival, open, offer } = parties
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
