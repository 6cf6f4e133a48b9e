import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { checkScreen, consoleStage, NARROW, press, WIDE } from '../../testing/console.ts'

const stage = await consoleStage()
const parties = await awardParties(stage.market)
const { consumer, maker, rival, open, offer, partId } = parties
const [buyer, manufacturer] = await Promise.all([consumer.member('Buyer'), maker.member('Manufacturer')])

const rfqId = await open()
await offer(rfqId, maker)
await offer(rfqId, rival, { shippingCost: undefined })
const orderRfqId = await open()
const awards = [{ offerId: await offer(orderRfqId, maker), quantity: 10 }]
const [order] = (await awardsOf(consumer.administrator.client).award(orderRfqId, { awards })).body.orders
if (!order) throw new Error('the award placed no order')

const WINDOWS = [
  [1400, WIDE],
  [390, NARROW],
] as const

const MAX_SHIFT = 0.02
const SCREENS = [
  '/console',
  '/console/rfqs',
  `/console/rfqs/${rfqId}`,
  `/console/rfqs/${rfqId}/comparison`,
  '/console/orders',
  `/console/orders/${order.id}`,
  '/console/parts',
  `/console/parts/${partId}`,
  '/console/factories',
  '/console/cases',
]

/** Adds up what moves without a person having done something. */
const OBSERVE = `window.shifted = 0; new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value
}).observe({ type: 'layout-shift', buffered: true })`

const isQuiet = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
}

test.each(WINDOWS)(
  'at %p px no screen moves what it has shown: the cumulative layout shift is below 0.02',
  async (_, options) => {
    const page = await stage.signIn(buyer, options)
    await page.addInitScript(OBSERVE)
    const moved: [path: string, shift: number][] = []
    for (const path of SCREENS) {
      await page.goto(path)
      await isQuiet(page)
      const shift = Number(await page.evaluate('window.shifted'))
      if (shift >= MAX_SHIFT) moved.push([path, shift])
    }
    expect(moved).toEqual([])
    await page.context().close()
  },
  60_000,
)

/** Lighthouse's slow 4G. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 }
const MAX_BYTES = 90_000

test('on a slow connection the person and the inbox are read beside the scripts, once, in at most 90 kB', async () => {
  const signedIn = await stage.signIn(buyer)
  const page = await signedIn.context().newPage()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  await network.send('Network.emulateNetworkConditions', SLOW_4G)
  const asked: string[] = []
  let bytes = 0
  network.on('Network.requestWillBeSent', ({ request }) => asked.push(new URL(request.url).pathname))
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto('/console')
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  const before = asked.filter((path) => path !== '/favicon.ico').map((path) => path.replace(/-\w+\.js$/, '.js'))
  // The page names its scripts, style sheet and texts, which are loaded beside each other; the first script reads.
  expect([before[0], ...before.slice(1, 6).toSorted(), ...before.slice(6, 8)]).toEqual([
    '/console',
    '/console/assets/console.css',
    '/console/assets/console.js',
    '/console/assets/early.js',
    '/console/assets/en.js',
    '/console/assets/main.js',
    '/flows/v1/me',
    '/flows/v1/inbox',
  ])
  await page.getByText('Nothing is waiting for you.').or(page.locator('.waiting')).first().waitFor()
  for (const path of ['/flows/v1/me', '/flows/v1/inbox']) expect(asked.filter((each) => each === path)).toEqual([path])
  expect(bytes).toBeGreaterThan(30_000)
  expect(bytes).toBeLessThan(MAX_BYTES)
  await signedIn.context().close()
}, 60_000)

test('a screen whose script is not there yet leaves the one before it, which is marked as busy', async () => {
  const signedIn = await stage.signIn(buyer)
  const page = await signedIn.context().newPage()
  const held = Promise.withResolvers<void>()
  await page.route('**/console/assets/all-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/console')
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'RFQs', exact: true }).click()
  const busy = page.locator('main[aria-busy=true]')
  await busy.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  held.resolve()
  await page.getByRole('heading', { level: 1, name: 'RFQs' }).waitFor()
  await busy.waitFor({ state: 'detached' })
  await signedIn.context().close()
}, 60_000)

test('before any script is there the page shows the frame of its screens, and to a visitor without a session none', async () => {
  const signedIn = await stage.signIn(buyer)
  const page = await signedIn.context().newPage()
  await page.route('**/console/assets/main-*.js', () => new Promise(() => {}))
  await page.goto('/console', { waitUntil: 'commit' })
  await page.locator('.skeleton').waitFor()
  expect(await page.locator('main').count()).toBe(0)
  await signedIn.context().close()
  const visitor = await stage.open()
  await visitor.route('**/console/assets/main-*.js', () => new Promise(() => {}))
  await visitor.goto('/console', { waitUntil: 'commit' })
  await visitor.locator('.skeleton').waitFor({ state: 'hidden' })
  await visitor.context().close()
}, 60_000)

describe('the shop floor', () => {
  const targetsOf = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((elements) =>
      (elements as unknown as { getBoundingClientRect(): { width: number; height: number; bottom: number } }[])
        .map((element) => element.getBoundingClientRect())
        .filter(({ height }) => height > 0)
        .map(({ width, height, bottom }) => ({ isLarge: width >= 44 && height >= 44, bottom })),
    )

  test('at 390 px an order is confirmed with the thumb: its next step stays at the foot', async () => {
    const page = await stage.signIn(manufacturer, NARROW)
    await page.goto(`/console/orders/${order.id}`)
    await isQuiet(page)
    const targets = await targetsOf(
      page,
      '.thumb > a, .thumb summary, main button, main input:not([type=checkbox]), main select',
    )
    expect(targets.length).toBeGreaterThan(5)
    expect(targets.filter(({ isLarge }) => !isLarge)).toEqual([])
    for (const y of [0, 400]) {
      await page.evaluate(`scrollTo(0, ${y})`)
      const [step] = await targetsOf(page, '.title .primary')
      expect(step?.bottom).toBeGreaterThan(NARROW.viewport.height - 160)
      expect(step?.bottom).toBeLessThanOrEqual(NARROW.viewport.height)
    }
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await checkScreen(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Confirmed', { exact: true }).waitFor()
    await page.context().close()
  }, 60_000)
})

describe('the verbs of a record', () => {
  test.each(WINDOWS)(
    'at %p px all but the next step are in a menu, which Escape closes',
    async (_, options) => {
      const page = await stage.signIn(buyer, options)
      await page.goto(`/console/rfqs/${rfqId}`)
      await page.getByRole('link', { name: 'Compare offers' }).waitFor()
      const menu = page.getByRole('button', { name: 'More actions' })
      const extend = page.getByRole('main').getByRole('button', { name: 'Extend' })
      expect([await extend.isVisible(), await menu.getAttribute('aria-expanded')]).toEqual([false, 'false'])
      await menu.click()
      await extend.waitFor()
      await checkScreen(page)
      await page.keyboard.press('Escape')
      await extend.waitFor({ state: 'hidden' })
      await menu.and(page.locator(':focus')).waitFor()
      await press(page, 'Extend')
      await page.getByRole('dialog', { name: 'Extend' }).waitFor()
      // The menu is closed, and the dialog of its verb stays.
      await checkScreen(page)
      await page.context().close()
    },
    60_000,
  )
})

describe('what a screen shows without data', () => {
  test.each(WINDOWS)(
    'at %p px an empty list, an unknown record and an unknown screen',
    async (_, options) => {
      const page = await stage.signIn(buyer, options)
      await page.goto('/console/rfqs?q=no-such-number')
      await page.locator('.empty.large').getByText('No matching RFQs.').waitFor()
      await page.locator('.empty.large').getByRole('link', { name: 'New RFQ' }).waitFor()
      await checkScreen(page)
      for (const path of ['/console/orders/order_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', '/console/nowhere']) {
        await page.goto(path)
        await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
        await checkScreen(page)
      }
      await page.getByRole('alert').getByRole('link', { name: 'Home' }).click()
      await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
      await page.context().close()
    },
    60_000,
  )
})
