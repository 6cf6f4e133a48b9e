import { expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { act, checkScreen, consoleStage, stateOf } from '../../testing/console.ts'
import { until } from '../../testing/until.ts'

const stage = await consoleStage()
const parties = await confidentialParties(stage.market)
const { owner: ipOwner, buyer, maker, rival } = parties
const nameOf = async ({ orgId, administrator: { client } }: typeof maker) =>
  (await client.get<{ name: string }>(`/v1/orgs/${orgId}`)).body.name
const [makerName, rivalName] = [await nameOf(maker), await nameOf(rival)]

test('a release names its manufacturer and files; after the award the page says that it ended, to both sides', async () => {
  const { id: rfqId } = await parties.openForOwner()
  for (const { administrator } of [maker, rival]) await termsOf(administrator.client).accept(rfqId)
  const offerId = await parties.offer(rfqId, maker)
  await parties.offer(rfqId, rival)
  const owner = await stage.signIn(ipOwner.administrator)
  await owner.goto(`/console/rfqs/${rfqId}`)
  const acceptances = owner.getByRole('region', { name: 'Acceptances of the terms' })
  const rows = acceptances.getByRole('row')
  const makerRow = rows.filter({ hasText: makerName })
  const rivalRow = rows.filter({ hasText: rivalName })
  for (const [row, name] of [
    [makerRow, makerName],
    [rivalRow, rivalName],
  ] as const) {
    await row.getByRole('button', { name: 'Release files' }).click()
    const released = owner.getByRole('dialog').getByRole('region', { name: 'Confidential files' })
    await released.getByText('ip.stl').waitFor()
    expect(await released.innerText()).toContain(`Manufacturers: ${name}`)
    expect(await released.getByRole('listitem').allInnerTexts()).toEqual(['ip.stl'])
    await checkScreen(owner)
    await owner.getByRole('dialog').getByRole('button', { name: 'Release files' }).click()
    await row.getByRole('button', { name: 'Withdraw files' }).waitFor()
  }
  const losing = await stage.signIn(rival.administrator)
  await losing.goto(`/console/rfqs/${rfqId}`)
  await losing.getByRole('link', { name: 'ip.stl' }).waitFor()
  const awards = [{ offerId, quantity: 10 }]
  expect((await awardsOf(buyer.administrator.client).award(rfqId, { awards })).status).toBe(200)
  await losing.getByText('Your access to the drawings ended with the award.').waitFor()
  await losing.getByRole('link', { name: 'Impeller' }).waitFor({ state: 'detached' })
  expect(await losing.getByRole('heading', { name: 'Not found' }).count()).toBe(0)
  expect(await losing.getByRole('link', { name: 'ip.stl' }).count()).toBe(0)
  await checkScreen(losing)
  await losing.reload()
  await losing.getByText('Your organization can no longer read the part.').waitFor()
  await stateOf(owner, 'Awarded')
  await rivalRow.getByText('None. Releases for offers ended with the award.').waitFor()
  expect(await rivalRow.getByRole('button').count()).toBe(0)
  await makerRow.getByText('This ends once the order is confirmed, declined or cancelled.').waitFor()
  await checkScreen(owner)

  await owner.getByRole('region', { name: 'Orders' }).getByRole('link').click()
  await owner.getByRole('button', { name: 'Release files' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByText('A release for an order cannot be withdrawn.').waitFor()
  await dialog.getByText('ip.stl').waitFor()
  expect(await dialog.innerText()).toContain(`Manufacturers: ${makerName}`)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await act(owner, 'Release files')
  await Promise.all([owner, losing].map((page) => page.context().close()))
}, 60_000)

test('what was not found three times is no longer asked for by the timer, and again once the page is shown again', async () => {
  const page = await stage.signIn(ipOwner.administrator)
  const path = '/v1/rfqs/rfq_01M84P5G8YFGRTA16154MPQ4YG'
  const isAsked = (request: { url(): string }) => new URL(request.url()).pathname === path
  let [asked, answered] = [0, 0]
  page.on('request', (request) => {
    if (isAsked(request)) asked += 1
  })
  page.on('requestfinished', (request) => {
    if (isAsked(request)) answered += 1
  })
  /** A later request of the page is reported after all of its earlier ones, and answered after their answers. */
  const reportAll = async () => {
    await page.evaluate(`fetch('/v1/rfqs/rfq_01M84P5G8YFGRTA16154MPQ4YH').then((response) => response.text())`)
    await until(() => answered === asked, { what: 'the answers' })
  }
  await page.clock.install()
  await page.goto('/console/rfqs/rfq_01M84P5G8YFGRTA16154MPQ4YG')
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  // A clock that also runs by itself would ask beside the ticks below; a longer jump would end the session's token.
  await page.clock.pauseAt(Date.now() + 10_000)
  await reportAll()
  for (let tick = 0; tick < 3; tick++) {
    await page.clock.runFor(4_000)
    await reportAll()
  }
  expect(asked).toBe(3)
  await page.clock.runFor(40_000)
  await reportAll()
  expect(asked).toBe(3)
  await Promise.all([
    page.waitForRequest(isAsked),
    page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`),
  ])
  expect(asked).toBe(4)
  await page.context().close()
}, 60_000)
