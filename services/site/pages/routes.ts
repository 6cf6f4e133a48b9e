import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import * as pages from '../../../proto/http/identity/pages.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { Asset, fileAsset, PAGE_HEADERS, SCRIPT } from './assets.ts'
import { kept } from './kept.ts'
import { securityText } from './security-text.ts'
import { welcome } from './welcome.ts'

const HERE = import.meta.dir
const DOCUMENTATION = join(HERE, 'documentation')
/** The modules of the API reference, which `scripts/toolchain/api-reference.ts` installs. */
const REFERENCE = join(HERE, '..', '..', '..', 'node_modules', '.api-reference')

const FORM_FILES = ['form.css', 'impersonate.js']
const SITE_FILES = [
  'site.css',
  'text.css',
  'site.js',
  'search.js',
  'reference.css',
  'reference.js',
  'document.js',
  'session.js',
]

type Assets = ReadonlyMap<string, Asset>

const filesIn = (folder: string, names: readonly string[]) =>
  names.map((name) => [name, fileAsset(join(folder, name))] as const)

/** The scripts of a folder; none where the API reference is not installed. */
const scriptsIn = (folder: string): Assets =>
  new Map(filesIn(folder, existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : []))

function answerOf(assets: Assets, name: string, request: Request): Promise<Raw> {
  const asset = assets.get(name)
  if (!asset) throw refuse('not_found', { detail: 'There is nothing at this path.' })
  return asset.answer(request)
}

/** What a page of a link says about the console. */
const ON_CONSOLE = /<!-- console -->.*<!-- \/console -->/

async function form(file: string, hasConsole: boolean): Promise<Raw> {
  const html = await Bun.file(join(HERE, file)).text()
  return new Raw(hasConsole ? html : html.replace(ON_CONSOLE, ''), 'text/html; charset=utf-8', PAGE_HEADERS)
}

interface PageDeps {
  http: Http
  publicUrl: string
  hasConsole: boolean
  /** Where to report vulnerabilities. */
  securityContact: string | undefined
  now: () => string
  /** The scripts of pages of links. */
  scripts: readonly (readonly [name: string, read: () => Promise<Uint8Array>])[]
}

/** The documentation, and the pages of links for people. */
export function pageRoutes({ http, publicUrl, hasConsole, securityContact, now, scripts }: PageDeps) {
  // Made at the first request, because the documents take some megabytes of memory.
  const site = kept(async () => (await import('./site.ts')).documentationSite(publicUrl, hasConsole))
  const files: Assets = new Map([
    ...filesIn(HERE, FORM_FILES),
    ...filesIn(DOCUMENTATION, SITE_FILES),
    ...scripts.map(([name, read]) => [name, new Asset(SCRIPT, read)] as const),
  ])
  const modules: Assets = new Map([...scriptsIn(REFERENCE), ...filesIn(join(HERE, 'reference'), ['LICENCES.txt'])])
  const chunks = scriptsIn(join(REFERENCE, 'chunks'))
  const icon = fileAsset(join(HERE, 'favicon.svg'))
  return new Elysia({ name: 'identity.pages' })
    .use(http.publicRoute(pages.getRoot, ({ request }) => welcome({ request, hasConsole })))
    .use(http.publicRoute(pages.getFavicon, ({ request }) => icon.answer(request)))
    .use(
      http.publicRoute(pages.getSecurityText, () => {
        if (securityContact === undefined) throw refuse('not_found', { detail: 'There is nothing at this path.' })
        return securityText({ publicUrl, contact: securityContact, now: now() })
      }),
    )
    .use(http.publicRoute(pages.getOpenApi, async () => (await site()).openapi))
    .use(http.publicRoute(pages.getOpenApi30, async () => (await site()).openapi30))
    .use(http.publicRoute(pages.getAsyncApi, async () => (await site()).asyncapi))
    .use(http.publicRoute(pages.getLlmsText, async ({ request }) => (await site()).llms.answer(request)))
    .use(http.publicRoute(pages.getDocs, async ({ request }) => (await site()).overview.answer(request)))
    .use(http.publicRoute(pages.getErrorCodes, async ({ request }) => (await site()).errors.answer(request)))
    .use(http.publicRoute(pages.getReference, async ({ request }) => (await site()).reference.answer(request)))
    .use(
      http.publicRoute(pages.getOperationText, async ({ params, request }) =>
        answerOf((await site()).operations, params.operation, request),
      ),
    )
    .use(
      http.publicRoute(pages.getGuide, async ({ params, request }) =>
        answerOf((await site()).guides, params.guide, request),
      ),
    )
    .use(
      http.publicRoute(pages.getDocsAsset, async ({ params, request }) => {
        const assets = files.has(params.asset) ? files : (await site()).assets
        return answerOf(assets, params.asset, request)
      }),
    )
    .use(http.publicRoute(pages.getReferenceModule, ({ params, request }) => answerOf(modules, params.asset, request)))
    .use(http.publicRoute(pages.getReferenceChunk, ({ params, request }) => answerOf(chunks, params.asset, request)))
    .use(http.publicRoute(pages.getActivatePage, () => form('activate.html', hasConsole)))
    .use(http.publicRoute(pages.getImpersonatePage, () => form('impersonate.html', hasConsole)))
    .use(http.publicRoute(pages.getMailAddressPage, () => form('mail-address.html', hasConsole)))
}
