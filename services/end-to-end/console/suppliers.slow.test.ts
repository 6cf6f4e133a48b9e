import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties } from '../../testing/awards.ts'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { insertOrder } from '../../testing/orders.ts'
import { pagesOf } from '../../testing/pdf.ts'

const stage = await consoleStage()
const { owner } = stage.market.db
const parties = await awardParties(stage.market)
const { consumer, ipOwner, maker, rival, seller } = parties

interface Finished {
  arrived: string
  rejected?: number
}

/** A completed order of ten pieces, placed on 1 May and due on the 29th. */
async function finished({ arrived, rejected = 0 }: Finished) {
  const id = await placed('COMPLETED')
  await owner`
    update sourcing.orders set created_at = '2031-05-01', due_date = '2031-05-29', arrived_at = ${arrived},
      accepted_quantity = ${10 - rejected}, rejected_quantity = ${rejected}
    where id = ${id}`
}
const placed = (state: 'PLACED' | 'CONFIRMED' | 'COMPLETED') =>
  insertOrder(owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: seller.orgId,
    partId: parties.partId,
    factoryId: parties.factories.get(maker.orgId) as string,
    state,
  })

const bothWidths = async (page: Page) => {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

test('a buyer sees how a maker has delivered where offers are compared and at its factory, and from how few orders', async () => {
  const rfqId = await parties.open()
  await parties.offer(rfqId, maker)
  await parties.offer(rfqId, rival)
  await finished({ arrived: '2031-05-29' })
  await finished({ arrived: '2031-06-02', rejected: 1 })

  const page = await stage.signIn(await consumer.member('Buyer'), WIDE)
  await page.goto(`/console/rfqs/${rfqId}/comparison`)
  await page.getByRole('columnheader').getByText('on time 50% · rejected 5% · 30 days from 2 orders').waitFor()
  await page.getByRole('columnheader').getByText('no finished orders with you').waitFor()
  await bothWidths(page)
  await page.goto(`/console/factories/${parties.factories.get(maker.orgId)}`)
  const panel = page.getByRole('region', { name: 'Deliveries to you' })
  await panel.getByText('from 2 orders').waitFor()
  expect((await panel.getByRole('definition').allInnerTexts()).map((text) => text.trim())).toEqual([
    '50%',
    '5%',
    '30 days',
  ])
  await bothWidths(page)

  await finished({ arrived: '2031-05-20' })
  await page.reload()
  await panel.getByText('66.7%').waitFor()
  expect(await panel.getByText('from').count()).toBe(0)
  await page.context().close()

  // A manufacturer sees no figures at its own factory.
  const makers = await stage.signIn(maker.administrator)
  await makers.goto(`/console/factories/${parties.factories.get(maker.orgId)}`)
  await makers.getByRole('region', { name: 'Place' }).waitFor()
  expect(await makers.getByRole('region', { name: 'Deliveries to you' }).count()).toBe(0)
  await makers.context().close()
}, 90_000)

test('the documents of an order are printed in the language of the page, those that it has and that are for the reader', async () => {
  const id = await placed('PLACED')
  const page = await stage.signIn(await consumer.member('Buyer'))
  const panel = page.getByRole('region', { name: 'Documents to print' })
  const download = async (name: string) => {
    const button = page.getByRole('button', { name, exact: true })
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
    const [lines = []] = await pagesOf(await Bun.file(await file.path()).bytes())
    return [file.suggestedFilename().replace(/^O-\w{8}/, 'O'), lines[0]]
  }
  await page.goto(`/console/orders/${id}`)
  await panel.waitFor()
  expect(await panel.getByRole('button').allInnerTexts()).toEqual(['Purchase order'])
  expect(await download('Purchase order')).toEqual(['O Purchase order.pdf', 'Purchase order'])
  await owner`update sourcing.orders set state = 'CONFIRMED' where id = ${id}`
  await page.reload()
  await panel.waitFor()
  expect(await panel.getByRole('button').allInnerTexts()).toEqual([
    'Purchase order',
    'Order confirmation',
    'Packing list',
  ])
  await bothWidths(page)
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await page.getByRole('region', { name: 'Dokumente zum Drucken' }).waitFor()
  expect(await download('Auftragsbestätigung')).toEqual(['O Auftragsbestätigung.pdf', 'Auftragsbestätigung'])
  expect(await download('Lieferschein')).toEqual(['O Lieferschein.pdf', 'Lieferschein'])
  await page.context().close()

  const owners = await stage.signIn(ipOwner.administrator)
  await owners.goto(`/console/orders/${id}`)
  const others = owners.getByRole('region', { name: 'Documents to print' })
  await others.waitFor()
  expect(await others.getByRole('button').allInnerTexts()).toEqual(['Purchase order', 'Order confirmation'])
  await owners.context().close()
}, 90_000)
