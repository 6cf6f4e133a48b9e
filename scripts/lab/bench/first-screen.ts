import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from '../../toolchain/browser.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { median } from './compare.ts'

/** Lighthouse's slow 4G. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 }
const WAIT_MS = 60_000

interface Options {
  old: string
  new: string
  email: string
  rounds: string
}

interface Times {
  /** When the browser draws anything. */
  paint: number
  /** When the heading of the first screen is there. */
  screen: number
  /** When all of it has loaded. */
  content: number
  bytes: number
}

const textOf = (what: string, values: readonly number[]) =>
  `${what} ${Math.round(median(values))} (${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))})`

/** The state of a browser that has signed in at a marketplace. */
async function signedIn(browser: Browser, url: string, email: string, password: string) {
  const context = await browser.newContext({ baseURL: url, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto('/console')
  await page.getByRole('button', { name: 'Use a password' }).click()
  await page.locator('input[name=username]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('navigation').first().waitFor({ timeout: WAIT_MS })
  return context.storageState()
}

/** Opens the first screen with an empty cache on a slow connection. */
async function measure(browser: Browser, url: string, storageState: Awaited<ReturnType<typeof signedIn>>) {
  const context = await browser.newContext({ baseURL: url, locale: 'en-GB', storageState })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  let bytes = 0
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', SLOW_4G)
  await page.goto('/console')
  await page.getByRole('heading', { level: 1 }).waitFor({ timeout: WAIT_MS })
  const [paint, screen] = (await page.evaluate(
    `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]`,
  )) as [number, number]
  await page.locator('main .loading').first().waitFor({ state: 'detached', timeout: WAIT_MS })
  const content = Number(await page.evaluate('performance.now()'))
  await context.close()
  return { paint, screen, content, bytes } satisfies Times
}

/** The two sides in turns, so that both have the same neighbours. */
async function compare({ old, new: present, email, rounds }: Options): Promise<void> {
  const { PASSWORD: password, OLD_PASSWORD: oldPassword = password } = process.env
  if (!password || !oldPassword) throw new CommandError('PASSWORD has to be that of the account.')
  const executablePath = await findBrowser({ progress: console.error })
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  try {
    const sides = await Promise.all(
      [[old, oldPassword] as const, [present, password] as const].map(async ([url, word]) => ({
        url,
        state: await signedIn(browser, url, email, word),
      })),
    )
    const times = sides.map(({ url }) => ({ url, all: [] as Times[] }))
    for (let round = 0; round < Number(rounds); round += 1) {
      for (const [at, { url, state }] of sides.entries()) times[at]?.all.push(await measure(browser, url, state))
    }
    for (const { url, all } of times) {
      console.log(
        url,
        textOf(
          'paint',
          all.map(({ paint }) => paint),
        ),
        textOf(
          'screen',
          all.map(({ screen }) => screen),
        ),
        textOf(
          'content',
          all.map(({ content }) => content),
        ),
      )
      console.log(
        ' '.repeat(url.length),
        textOf(
          'bytes',
          all.map(({ bytes }) => bytes),
        ),
      )
    }
  } finally {
    await browser.close()
  }
}

await runCommandLine(
  commandLine(
    'bun scripts/lab/bench/first-screen.ts',
    'Measures the first screen of the console on a slow connection, of a checkout beside another, in milliseconds. ' +
      'The password of the account is read from $PASSWORD, and where it differs before from $OLD_PASSWORD.',
  )
    .requiredOption('--old <address>', 'address of the marketplace before')
    .requiredOption('--new <address>', 'address of the marketplace now')
    .requiredOption('--email <address>', 'account that signs in at both')
    .option('--rounds <number>', 'how often each side is opened', '7')
    .action(compare),
)
