import { join } from 'node:path'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'

const PICTURE = join(import.meta.dir, '..', '..', '..', 'services', 'site', 'pages', 'documentation.webp')
const PICTURED = '/docs/api#tag/rfqs/POST/flows/v1/rfqs/{id}/award'

const NARROW = { width: 390, height: 844 }
const SIZES = [{ width: 1400, height: 900 }, NARROW]
const COLOURS = ['light', 'dark'] as const
const WAIT_MS = 15_000

type Size = (typeof SIZES)[number]
type Colours = (typeof COLOURS)[number]

/** What is wrong with a page, as expressions of the page that list it. */
const CHECKS = {
  'wider than the window': `document.documentElement.scrollWidth > innerWidth ? [document.documentElement.scrollWidth] : []`,
  'broken words of tables': `[...document.querySelectorAll('td, th')].flatMap((cell) => {
    const nodes = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    const broken = []
    while (nodes.nextNode()) for (const word of nodes.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = new Range()
      range.setStart(nodes.currentNode, word.index)
      range.setEnd(nodes.currentNode, word.index + word[0].length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word[0])
    }
    return broken
  })`,
  'diagrams that are source text': `[...document.querySelectorAll('pre')].map(({ innerText }) => innerText).filter((text) => text.startsWith('stateDiagram'))`,
} as const

async function openPage(url: string, { width, height }: Size, colours: Colours) {
  const problems: string[] = []
  const view = new Bun.WebView({
    width,
    height,
    backend: {
      type: 'chrome',
      url: false,
      // Chromium has no sandbox for root.
      argv: ['--hide-scrollbars', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    },
    console: (type, ...words) => {
      if (type === 'error') problems.push(`console: ${words.join(' ')}`)
    },
  })
  await view.navigate('about:blank')
  view.addEventListener<{ entry: { level: string; text: string } }>('Log.entryAdded', ({ data }) => {
    if (data.entry.level === 'error') problems.push(data.entry.text)
  })
  view.addEventListener<{ request: { url: string } }>('Network.requestWillBeSent', ({ data }) => {
    const { origin, protocol } = new URL(data.request.url)
    if (protocol.startsWith('http') && origin !== new URL(url).origin) problems.push(`request to ${origin}`)
  })
  for (const domain of ['Log', 'Network']) await view.cdp(`${domain}.enable`)
  await view.cdp('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: colours }] })
  await view.cdp('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
  await view.navigate(url)
  return { view, problems }
}

/** Waits for an expression of the page. */
async function until(view: Bun.WebView, expression: string): Promise<void> {
  const end = Date.now() + WAIT_MS
  while (!(await view.evaluate(expression))) {
    if (Date.now() > end) throw new CommandError(`${view.url}: this did not become true: ${expression}`)
    await Bun.sleep(50)
  }
}

const isShown = (url: string) =>
  url.includes('/docs/api') ? `!!document.querySelector('#reference h1, #reference h2')` : 'true'

async function checkPage(url: string, size: Size, colours: Colours): Promise<string[]> {
  const { view, problems } = await openPage(url, size, colours)
  await until(view, isShown(url))
  for (const [problem, expression] of Object.entries(CHECKS)) {
    const found = await view.evaluate<unknown[]>(expression)
    if (found.length > 0) problems.push(`${problem}: ${found.join(', ')}`)
  }
  const [red = 0] = await view.evaluate<number[]>(
    `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)`,
  )
  if (red < 128 !== (colours === 'dark')) problems.push(`the background is not ${colours}`)
  view.close()
  return problems.map((problem) => `${url} at ${size.width} px, ${colours}: ${problem}`)
}

/** The languages of samples, and the contents, on a narrow screen. */
async function checkGuide(base: string): Promise<void> {
  const { view } = await openPage(`${base}/docs/guides/webhooks`, NARROW, 'light')
  await until(view, `document.querySelector('[role=tab][value=python]') !== null`)
  await view.evaluate(`document.querySelector('[role=tab][value=python]').click()`)
  await until(view, `document.querySelector('.samples pre:not([hidden]) code').className === 'language-python'`)
  await until(view, `!document.querySelector('.sidebar details').open`)
  view.close()
}

/** The search finds words of guides on each kind of page, and its results are inside of a narrow window. */
async function checkSearch(url: string): Promise<void> {
  const { view } = await openPage(url, NARROW, 'light')
  await until(view, isShown(url))
  await view.evaluate(`document.getElementById('search').focus()`)
  await view.type('webhook signature')
  await until(view, `document.querySelector('.results a[href$="#write-a-receiver"]') !== null`)
  await until(view, `document.querySelector('.results').getBoundingClientRect().left >= 0`)
  view.close()
}

async function check({ url, picture = false }: { url: string; picture?: boolean }): Promise<void> {
  const base = url.replace(/\/$/, '')
  const llms = await (await fetch(`${base}/llms.txt`)).text()
  const guides = [...llms.matchAll(/\/docs\/guides\/[\w-]+(?=\.md\))/g)].map(([path]) => path)
  const pages = ['/docs', ...guides, '/docs/api', PICTURED, '/activate', '/impersonate']
  const problems: string[] = []
  for (const page of pages) {
    for (const size of SIZES) {
      for (const colours of COLOURS) problems.push(...(await checkPage(`${base}${page}`, size, colours)))
    }
  }
  await checkGuide(base)
  for (const page of ['/docs', '/docs/api']) await checkSearch(`${base}${page}`)
  if (picture) await takePicture(base)
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  console.log(`${pages.length} pages are right at ${SIZES.map(({ width }) => width).join(' and ')} px, light and dark.`)
}

async function takePicture(base: string): Promise<void> {
  const { view } = await openPage(`${base}${PICTURED}`, { width: 1280, height: 800 }, 'light')
  await until(view, `document.querySelector('#reference')?.innerText.includes('"state": "AWARDED"')`)
  await Bun.write(PICTURE, await view.screenshot({ format: 'webp', quality: 50 }))
  view.close()
}

await runCommandLine(
  commandLine(
    'bun scripts/lab/pages/main.ts',
    'Opens every page of the documentation of a running marketplace in Chromium, and checks how it is shown.',
  )
    .option('--url <address>', 'address of the marketplace', 'http://localhost:8080')
    .option('--picture', 'also takes the picture of the README')
    .action(check),
)
