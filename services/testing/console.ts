import { afterAll, expect } from 'bun:test'
import axe from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { TEST_PASSWORD, type TestMarketplace, type TestUser, testMarketplace } from './marketplace.ts'

export const WIDE = { viewport: { width: 1400, height: 900 }, colorScheme: 'light' } as const
export const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const

/** The region of a screen that still changes by itself, so that what is pressed could move. */
const BUSY = 'main[aria-busy=true]'

export interface Stage {
  market: TestMarketplace
  /** Errors of the pages, of which there must be none at the end. */
  errors: string[]
  /** A window of its own, not signed in. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** A window in which the user is signed in without the form, on the first screen. */
  signIn(user: TestUser, options?: BrowserContextOptions): Promise<Page>
}

let running: Promise<Browser> | undefined

/** One browser for all files of the process, with which it ends. */
function browserOfProcess(): Promise<Browser> {
  running ??= startBrowser()
  return running
}

async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.TEST_BROWSER
  if (!executablePath) throw new Error('TEST_BROWSER is not set: run the tests with ./scripts/test.')
  // Chromium has no sandbox for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args, timeout: 30_000 })
}

/** A marketplace for a test file, and windows of the browser, which are closed after it. */
export async function consoleStage(overrides?: Record<string, string>): Promise<Stage> {
  const [market, browser] = await Promise.all([testMarketplace(overrides), browserOfProcess()])
  const errors: string[] = []
  const contexts: BrowserContext[] = []
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    expect(errors).toEqual([])
  })
  const open = async (options: BrowserContextOptions = WIDE) => {
    const context = await browser.newContext({
      baseURL: market.url,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    })
    contexts.push(context)
    // Long enough for a loaded machine.
    context.setDefaultTimeout(20_000)
    context.on('weberror', (error) => errors.push(error.error().message))
    context.on('console', (message) => {
      // Refused requests are also listed as errors, and the tests provoke them.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text())
    })
    const page = settling(await context.newPage())
    // Each action waits until it is no longer there.
    await page.addLocatorHandler(page.locator(BUSY), async () => {})
    return page
  }
  const signIn = async ({ email }: TestUser, options?: BrowserContextOptions) => {
    const page = await open(options)
    const { access_token: accessToken, refresh_token: refreshToken, expires_in } = await market.openSession(email)
    const session = { email, accessToken, refreshToken, expiresAtMs: Date.now() + expires_in * 500 }
    // A page of the same origin that runs no script.
    await page.goto('/.well-known/jwks.json', { waitUntil: 'commit' })
    await page.evaluate(`localStorage.setItem('marketplace-session', ${JSON.stringify(JSON.stringify(session))})`)
    await page.goto('/console')
    await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
    return page
  }
  return { market, errors, open, signIn }
}

/** A page that has settled after each navigation, unless the caller says what to wait for. */
function settling(page: Page): Page {
  const go = page.goto.bind(page)
  page.goto = async (url, options) => {
    const response = await go(url, options)
    if (!options?.waitUntil) await settled(page)
    return response
  }
  for (const name of ['reload', 'goBack'] as const) {
    const navigate = page[name].bind(page)
    page[name] = async (options) => {
      const response = await navigate(options)
      await settled(page)
      return response
    }
  }
  return page
}

/** Waits until the screen no longer changes by itself. */
async function settled(page: Page): Promise<void> {
  await page.locator(`.skeleton, ${BUSY}`).first().waitFor({ state: 'detached' })
}

export async function fillSignIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  // After a wrong password the page still asks for it.
  const next = page.getByRole('button', { name: 'Continue' })
  if (await next.isVisible()) await next.click()
  await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A screen that is complete: nothing loads, axe finds nothing, and nothing is wider than the window. */
export async function checkScreen(page: Page): Promise<void> {
  await settled(page)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  if (await page.evaluate('!window.axe')) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(`(async () => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return { violations: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(', ')) }
  })()`)) as { violations: string[] }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect([page.url(), violations, Math.max(0, Number(overflow))]).toEqual([page.url(), [], 0])
}

/** Presses a button of the screen, which may be in the menu of its record. */
export async function press(page: Page, verb: string): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name: verb, exact: true }).first()
  const menu = page.getByRole('button', { name: 'More actions' })
  await button.or(menu).first().waitFor()
  if (!(await button.isVisible())) await menu.click()
  await button.click()
}

/** Presses a button that opens a dialog, fills it, sends it, and confirms what it asks to check. */
export async function act(
  page: Page,
  verb: string,
  fields?: Readonly<Record<string, string>>,
  check?: (summary: string) => Promise<void>,
): Promise<void> {
  await press(page, verb)
  await send(page, verb, fields, check)
}

/** Fills the open dialog, sends it, and confirms what it asks to check. */
export async function send(
  page: Page,
  verb: string,
  fields: Readonly<Record<string, string>> = {},
  check?: (summary: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  for (const [label, text] of Object.entries(fields)) {
    const field = dialog.getByLabel(label)
    await field.waitFor()
    const isChoice = (await field.and(page.locator('select')).count()) > 0
    await (isChoice ? field.selectOption(text) : field.fill(text))
  }
  await dialog.getByRole('button', { name: verb === 'Edit' ? 'Save' : verb, exact: true }).click()
  if (check) await check(await summaryIn(page))
  if (check) await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** What a person is asked to check before it is sent, in one line. */
export const summaryIn = async (page: Page): Promise<string> =>
  (await page.getByRole('region', { name: 'Please check' }).innerText()).replaceAll(/\s+/g, ' ')

/** The badge of the record beside its title. */
export const stateOf = (page: Page, state: string) =>
  page.getByRole('heading', { level: 1 }).getByText(state, { exact: true }).waitFor()

/** Follows the navigation, which in a narrow window has some of its screens in a sheet. */
export async function goTo(page: Page, screen: string): Promise<void> {
  const menu = page.getByText('Menu', { exact: true })
  const link = page.getByRole('navigation').getByRole('link', { name: screen, exact: true })
  if ((await menu.isVisible()) && !(await link.isVisible())) await menu.click()
  await link.click()
  await page.getByRole('heading', { level: 1, name: screen, exact: true }).waitFor()
}

/** What a comparison shows of each offer: the cells of a row, or in a narrow window a value of each card. */
export const comparedAs = (page: Page, title: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: title, exact: true }) })
    .getByRole('cell')
    .or(
      page
        .getByRole('article')
        .locator('.facts > div')
        .filter({ has: page.locator(`dt:text-is("${title}")`) })
        .locator('dd'),
    )
