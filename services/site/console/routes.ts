import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/identity/console.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Asset, SCRIPT } from '../pages/assets.ts'
import { kept } from '../pages/kept.ts'
import { bundleConsole, withoutHash } from './bundle.ts'
import { SKELETON, SKELETON_SOURCE, SKELETON_STYLE } from './skeleton.ts'

/** The console runs no inline code, has one inline style sheet, and talks only to its own origin and the file store. */
const policy = (filesOrigin = '') => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' ${SKELETON_SOURCE}; img-src 'self' blob: ${filesOrigin}; connect-src 'self' ${filesOrigin}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
})

/**
 * The version in the addresses of the assets makes a browser load those of the page that it shows. The style sheet
 * follows the skeleton, which is therefore shown before it.
 */
const page = (
  version: string,
  publicUrl: string,
  registration: string,
  preloaded: readonly string[],
) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="public-url" content="${publicUrl}">
<meta name="registration" content="${registration}">
<title>Marketplace</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style>${SKELETON_STYLE}</style>
<script type="module" async src="/console/assets/early.js?v=${version}"></script>
<script type="module" src="/console/assets/console.js?v=${version}"></script>
${preloaded.map((name) => `<link rel="modulepreload" href="/console/assets/${name}">`).join('\n')}
</head>
<body><noscript>The console needs JavaScript.</noscript><div id="console">${SKELETON}</div>
<link rel="stylesheet" href="/console/assets/console.css?v=${version}"></body>
</html>
`

type Bundle = Awaited<ReturnType<typeof bundleConsole>>

const versionOf = ({ script, early, styles }: Bundle) =>
  new Bun.CryptoHasher('sha256').update(script).update(early).update(styles).digest('hex').slice(0, 12)

interface ConsoleDeps {
  http: Http
  publicUrl: string
  /** Whether companies can register themselves. */
  registration: 'closed' | 'approval' | 'open'
  /** The origin of the store of files, if browsers send files there. */
  filesOrigin: string | undefined
}

const LANGUAGES = ['en', 'de'] as const

/** The first language of a browser that has texts, as the script chooses it where the person has not. */
function languageOf(request: Request) {
  const tags = request.headers.get('accept-language')?.split(',') ?? []
  return tags.flatMap((tag) => LANGUAGES.find((each) => tag.trim().slice(0, 2).toLowerCase() === each) ?? [])[0] ?? 'en'
}

/**
 * The asset of a name. A page of another release gets the present texts, but no script, because it would be mixed with
 * scripts of its own release.
 */
const nameOf = (asset: string) =>
  LANGUAGES.some((language) => withoutHash(asset) === `${language}.js`) ? withoutHash(asset) : asset

/** The page of the console, and its script and style sheet, which are built at the first request. */
export function consoleRoutes({ http, publicUrl, registration, filesOrigin }: ConsoleDeps) {
  const bundle = kept(bundleConsole)
  const htmlIn = (language: string) => async () => {
    const built = await bundle()
    const texts = [...built.chunks.keys()].filter((name) => withoutHash(name) === `${language}.js`)
    return Buffer.from(page(versionOf(built), new URL(publicUrl).origin, registration, [...built.imported, ...texts]))
  }
  const headers = { ...policy(filesOrigin), vary: 'Accept-Language' }
  const asset = (language: string) => new Asset('text/html; charset=utf-8', htmlIn(language), headers)
  const pages = { en: asset('en'), de: asset('de') }
  const assets = kept(async () => {
    const { script, early, styles, chunks } = await bundle()
    return new Map([
      ['console.js', new Asset(SCRIPT, async () => script)],
      ['early.js', new Asset(SCRIPT, async () => early)],
      ['console.css', new Asset('text/css; charset=utf-8', async () => styles)],
      ...[...chunks].flatMap(([name, bytes]) => {
        const chunk = new Asset(SCRIPT, async () => bytes)
        return [[name, chunk] as const, ...(nameOf(name) === name ? [] : [[nameOf(name), chunk] as const])]
      }),
    ])
  })
  const answerPage = ({ request }: { request: Request }) => pages[languageOf(request)].answer(request)
  return new Elysia({ name: 'identity.console' })
    .use(http.publicRoute(operations.getConsole, answerPage))
    .use(http.publicRoute(operations.getConsoleScreen, answerPage))
    .use(http.publicRoute(operations.getConsoleRecord, answerPage))
    .use(http.publicRoute(operations.getConsoleView, answerPage))
    .use(
      http.publicRoute(operations.getConsoleAsset, async ({ params, request }) => {
        const found = (await assets()).get(nameOf(params.asset))
        if (!found) throw refuse('not_found', { detail: 'There is nothing at this path.' })
        return found.answer(request)
      }),
    )
}
